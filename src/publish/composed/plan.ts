import type { Chunk } from '../../composed/chunk.ts';
import { type ComposedHead, encodeHead } from '../../composed/head.ts';
import { logOf } from '../../composed/log.ts';
import type { Generation } from '../../rewrite/compose.ts';

/** What a plan is computed from. */
export interface Situation {
  /** The head of the state to publish, and its generations, the oldest first. The last one is that state. */
  readonly head: ComposedHead;
  readonly generations: readonly Generation[];
  /** The same at the target; undefined without an earlier publish. */
  readonly found: { readonly head: ComposedHead; readonly generations: readonly Generation[] } | undefined;
  /** Whether the new state continues the generations of the target. Otherwise all of these are dropped. */
  readonly isSuccessor: boolean;
  /** Whether to send all states again. */
  readonly repair: boolean;
  /** For how many milliseconds a state stays readable after the next one replaced it; undefined for ever. */
  readonly keep: number | undefined;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
}

/** A state to send, and the state at the target from which it differs least. */
export interface NewState {
  readonly state: Generation;
  readonly base: Generation | undefined;
}

/** What a publish of the composed layout does. */
export interface ComposedPlan {
  /** The head to write. */
  readonly head: ComposedHead;
  /** Whether the target has this head. */
  readonly isIdle: boolean;
  /** The root of the new log, and its chunks that the old log does not have. */
  readonly logChunks: readonly Chunk[];
  readonly states: readonly NewState[];
  /** The generations that the new log has. */
  readonly kept: readonly Generation[];
  /** The generations that only the old log has. */
  readonly dropped: readonly Generation[];
  /** The chunks of the old log that the new one does not need. They are deleted only together with generations. */
  readonly oldLogChunks: readonly string[];
}

/** Computes what to send and what to drop. Pure. */
export function planComposed({ head, generations, found, isSuccessor, repair, keep, now }: Situation): ComposedPlan {
  const before = found?.generations ?? [];
  // what an earlier publish dropped stays dropped
  const first = isSuccessor ? (before[0]?.generation ?? 0) : 0;
  const kept = withinKeep(
    generations.filter(({ generation }) => generation >= first),
    keep,
    now,
  );
  const isKept = new Set(kept.map(({ generation }) => generation));
  const dropped = isSuccessor ? before.filter(({ generation }) => !isKept.has(generation)) : before;
  const chunks = new Map<string, Chunk>();
  const log = logOf(kept, (chunk) => chunks.set(chunk.hash, chunk));
  const oldChunks = new Set<string>();
  if (found !== undefined) logOf(before, ({ hash }) => oldChunks.add(hash));
  const next: ComposedHead = { ...head, log };
  return {
    head: next,
    isIdle: found !== undefined && encodeHead(found.head) === encodeHead(next),
    logChunks: [...chunks.values()].filter(({ hash }) => hash === log.root || !oldChunks.has(hash)),
    states: repair ? newStates(kept, [], false) : newStates(kept, before, isSuccessor),
    kept,
    dropped,
    oldLogChunks: [...oldChunks].filter((hash) => !chunks.has(hash)),
  };
}

/** Leaves out the generations that other ones replaced before the time to keep began. */
function withinKeep(generations: readonly Generation[], keep: number | undefined, now: number): readonly Generation[] {
  if (keep === undefined) return generations;
  return generations.filter((_, index) => {
    const next = generations[index + 1];
    return next === undefined || Date.parse(next.time) > now - keep;
  });
}

function newStates(kept: readonly Generation[], before: readonly Generation[], isSuccessor: boolean): NewState[] {
  const last = isSuccessor ? (before.at(-1)?.generation ?? 0) : 0;
  const states = kept.filter(({ generation }) => generation > last);
  return states.map((state, index) => ({ state, base: states[index - 1] ?? before.at(-1) }));
}
