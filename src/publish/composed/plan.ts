import type { Chunk } from '../../composed/chunk.ts';
import { type ComposedHead, encodeHead, type Published } from '../../composed/head.ts';
import { logOf } from '../../composed/log.ts';
import type { Generation } from '../../rewrite/compose.ts';
import { settledGeneration } from './published.ts';
import { formerStates, statesBeyond, type UnlistedState } from './unlisted.ts';

/** What a plan is computed from. */
export interface Situation {
  /** The head of the state to publish, and its generations, the oldest first. The last one is that state. */
  readonly head: ComposedHead;
  readonly generations: readonly Generation[];
  /** The same at the target; undefined without an earlier publish. */
  readonly found: { readonly head: ComposedHead; readonly generations: readonly Generation[] } | undefined;
  /** The states that the log of the target may not have. */
  readonly noted: readonly UnlistedState[];
  /** Whether the new state continues the generations of the target. Otherwise all of these are dropped. */
  readonly isSuccessor: boolean;
  /** Whether an account was removed since the state at the target: then no earlier state may stay. */
  readonly hasRemoved: boolean;
  /** Whether to send all states again. */
  readonly repair: boolean;
  /** For how many milliseconds a state stays readable after the next one replaced it; undefined for ever. */
  readonly keep: number | undefined;
  /** The present time, in milliseconds since 1970. Generations that readers of the last day may have are always kept. */
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
  /** The earlier publishes of its generations. */
  readonly published: readonly Published[];
  /** Whether the target has this head. */
  readonly isIdle: boolean;
  /** The chunks of the new log that the old log does not have. To repair a target, all of them. */
  readonly logChunks: readonly Chunk[];
  readonly states: readonly NewState[];
  /** The generations that the new log has. */
  readonly kept: readonly Generation[];
  /** The generations that only the old log has. */
  readonly dropped: readonly Generation[];
  /** The states whose chunks are deleted. The log itself has only counts and hashes: its old chunks stay. */
  readonly deleted: readonly UnlistedState[];
  /** The states to note at the target: those that stay there without being in both logs, and those to send. */
  readonly unlisted: readonly UnlistedState[];
}

/** Computes what to send and what to drop. Pure. */
export function planComposed({ head, generations, found, noted, isSuccessor, hasRemoved, repair, keep, now }: Situation): ComposedPlan {
  const before = found?.generations ?? [];
  // what an earlier publish dropped stays dropped
  const first = isSuccessor ? (before[0]?.generation ?? 0) : 0;
  // without a successor, no reader has seen these generations
  const settled = found === undefined ? Number.POSITIVE_INFINITY : settledGeneration(found.head.published ?? [], now);
  const kept = withinKeep(
    generations.filter(({ generation }) => generation >= first),
    isSuccessor ? settled : Number.POSITIVE_INFINITY,
    keep,
    now,
  );
  const isKept = new Set(kept.map(({ generation }) => generation));
  const dropped = isSuccessor ? before.filter(({ generation }) => !isKept.has(generation)) : before;
  const readable = withinKeep(before, settled, keep, now);
  const former = statesBeyond(noted, [...before, ...kept]);
  const left = statesBeyond(formerStates(dropped, now), kept);
  const isOver = ({ since }: UnlistedState) => keep !== undefined && since <= now - keep;
  const deleted = hasRemoved ? [...left, ...former] : [...statesBeyond(left, readable), ...former.filter(isOver)];
  const sent = statesBeyond(kept, before).map(({ data, account }) => ({ data, account, since: now, complete: false }));
  const chunks = new Map<string, Chunk>();
  const log = logOf(kept, (chunk) => chunks.set(chunk.hash, chunk));
  const oldChunks = new Set<string>();
  if (found !== undefined) logOf(before, ({ hash }) => oldChunks.add(hash));
  // a tree that was restored from a target may have a list of publishes
  const generation = kept.at(-1)?.generation ?? head.generation;
  const next: ComposedHead = { ...head, generation, log, published: undefined, withdrawn: hasRemoved ? undefined : found?.head.withdrawn };
  return {
    head: next,
    // other generations may have the same numbers
    published: isSuccessor ? (found?.head.published ?? []) : [],
    isIdle: found !== undefined && encodeHead({ ...found.head, published: undefined }) === encodeHead(next),
    logChunks: [...chunks.values()].filter(({ hash }) => repair || !oldChunks.has(hash)),
    states: repair ? newStates(kept, [], false) : newStates(kept, before, isSuccessor),
    kept,
    dropped,
    deleted,
    unlisted: [...statesBeyond([...left, ...former], deleted), ...sent],
  };
}

/**
 * Leaves out the generations that other ones replaced before the time to keep began.
 * @param settled the generation before which no reader of the last day began: it may have been built much earlier
 */
function withinKeep(generations: readonly Generation[], settled: number, keep: number | undefined, now: number): readonly Generation[] {
  if (keep === undefined) return generations;
  return generations.filter(({ generation }, index) => {
    const next = generations[index + 1];
    return next === undefined || Date.parse(next.time) > now - keep || generation >= settled;
  });
}

function newStates(kept: readonly Generation[], before: readonly Generation[], isSuccessor: boolean): NewState[] {
  const last = isSuccessor ? (before.at(-1)?.generation ?? 0) : 0;
  const states = kept.filter(({ generation }) => generation > last);
  return states.map((state, index) => ({ state, base: states[index - 1] ?? before.at(-1) }));
}
