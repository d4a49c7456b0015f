import { type ComposedHead, requireHead } from '../../composed/head.ts';
import type { Failure } from '../../contract/failure.ts';
import { type OnProgress, stopped } from '../../contract/pauses.ts';
import { chunkPath } from '../../rewrite/chunks.ts';
import { forEachLimit } from '../../storage/pool.ts';
import { openRemote, type Remote, type RemoteOptions } from '../../storage/remote.ts';
import type { RequestCounter } from '../../storage/request-counter.ts';
import type { Target } from '../../storage/target.ts';
import { checkGuards, type Limits } from '../planning/guards.ts';
import { refuseOtherFiles } from '../trees/other-files.ts';
import { type ComposedState, readComposedState, writeComposedState } from './composed-state.ts';
import { deletesOf, refuseUnfinishedDeletes } from './deletes.ts';
import { generationsToPublish, hasRemoved, lostGenerations, withdrawnGenerations } from './generations.ts';
import { type FoundHead, readHeadAt, writeHead } from './head-object.ts';
import { lockTarget } from './lock-target.ts';
import { type ComposedPlan, planComposed } from './plan.ts';
import { readEither } from './read-chunk.ts';
import { sendChunks, sendLog } from './send.ts';
import { type ChunkRef, chunksBeyond, type ReadChecked } from './tree-difference.ts';

/** Milliseconds for the deletes of one run. The next run deletes the rest. Much shorter than the time that another run waits. */
const DELETE_MS = 300_000;

/** The phases of a publish. `read` and `delete` count chunks, and `send` bytes. */
export type ComposedPhase = 'read' | 'send' | 'delete';

export interface ComposedPublishOptions extends Omit<Limits, 'allowGaps'>, RemoteOptions {
  readonly out: string;
  readonly allowOtherFiles: boolean;
  /** The Cache-Control header of the head. */
  readonly cacheControl: string;
  /** For how many milliseconds a state stays readable after the next one replaced it; undefined for ever. */
  readonly keep: number | undefined;
  /** Whether a tree that was built in a new folder becomes the next generation of the target. */
  readonly append: boolean;
  /** Whether to drop generations of the target that the tree does not have. */
  readonly dropGenerations: boolean;
  /** Whether no other run can publish to the target at the same time. */
  readonly isSinglePublisher: boolean;
  /** Whether to read each chunk at the target and replace those that differ. */
  readonly repair: boolean;
  /** Whether to plan only, without any write. */
  readonly dryRun: boolean;
  readonly onProgress?: OnProgress<ComposedPhase> | undefined;
}

export interface ComposedPublishSummary {
  readonly head: ComposedHead;
  /** The generation at the target before; null if it had none. */
  readonly before: number | null;
  /** The chunks to send and to delete. With `repair`, all chunks are counted as chunks to send. */
  readonly uploads: number;
  readonly bytes: number;
  readonly deletes: readonly string[];
  /** How many generations the target loses. */
  readonly dropped: number;
  readonly isIdle: boolean;
  /** The reasons why the plan was not carried out; empty if it was. */
  readonly refusals: readonly Failure[];
  /** Every chunk to send. */
  readonly chunks: () => AsyncIterable<ChunkRef>;
  readonly done: { readonly uploads: number; readonly deletes: number };
  readonly traffic: RequestCounter;
  /** Whether the store supports conditional writes. */
  readonly isConditional: boolean;
  /** The path patterns to invalidate in a CDN. */
  readonly invalidate: readonly string[];
}

/**
 * Publishes a tree with the composed layout: sends the new chunks in any order, then the head by a conditional write. Readers
 * see the old state or the new one. Chunks that no state needs any longer are deleted in the end.
 * @throws Failure no-tree, tree-edited, target-failed, target-denied, target-busy, target-edited, not-ours, other-layout,
 *   loopback-url, too-many-deletes, generations-lost, no-conditional-writes, stopped, file-system
 */
export async function publishComposed(target: Target, options: ComposedPublishOptions): Promise<ComposedPublishSummary> {
  const head = requireHead(options.out);
  target.check?.(options.out);
  const kept = `readers of ${target.name} see the earlier state, and the next run sends the rest`;
  const remote = openRemote(target, { ...options, kept });
  const lock = options.dryRun ? undefined : lockTarget(target);
  try {
    const prepared = await prepare(remote, target, head, options);
    const summary = await summaryOf(prepared, options);
    if (options.dryRun || summary.isIdle) return summary;
    const [refused] = summary.refusals;
    if (refused !== undefined) throw refused;
    return await execute(prepared, summary, options);
  } finally {
    lock?.release();
  }
}

/** What is at the target, and what to do. */
interface Prepared {
  readonly remote: Remote;
  readonly found: FoundHead | undefined;
  readonly state: ComposedState | undefined;
  readonly plan: ComposedPlan;
  readonly deletes: readonly string[];
  /** How many chunks the target has if no chunk is sent. Known only if chunks are to be deleted. */
  readonly atTarget: number;
  readonly lost: Failure | undefined;
  readonly read: ReadChecked;
}

async function prepare(remote: Remote, target: Target, head: ComposedHead, options: ComposedPublishOptions): Promise<Prepared> {
  const [found, state] = await Promise.all([readHeadAt(remote), readComposedState(remote)]);
  if (found === undefined && state === undefined && !options.allowOtherFiles) refuseOtherFiles(target);
  if (!options.dryRun && !options.isSinglePublisher) refuseUnfinishedDeletes(remote, state, Date.now());
  const read = readEither(options.out, remote);
  const { generations, before, isSuccessor } = await generationsToPublish(head, found?.head, options.append, read);
  const lost = lostGenerations(remote.name, head, found?.head, isSuccessor);
  const removed = found !== undefined && hasRemoved(head, found.head);
  const plan = planComposed({
    head,
    generations,
    found: found && { head: found.head, generations: before },
    withdrawn: removed ? await withdrawnGenerations(found.head, before, read) : [],
    isSuccessor,
    hasRemoved: removed,
    repair: options.repair,
    keep: options.keep,
    now: Date.now(),
  });
  const { deletes, atTarget } = await deletesOf(plan, state, read);
  return { remote, found, state, plan, deletes, atTarget, lost: options.dropGenerations ? undefined : lost, read };
}

/** Counts what a plan sends. Writes nothing. */
async function summaryOf(
  { remote, found, state, plan, deletes, atTarget, lost, read }: Prepared,
  options: ComposedPublishOptions,
): Promise<ComposedPublishSummary> {
  const { head } = plan;
  const isIdle = plan.isIdle && state !== undefined && deletes.length + state.deletes.length === 0 && !options.repair;
  const chunks = () => chunksToSend(isIdle ? { ...plan, logChunks: [] } : plan, read);
  let [uploads, bytes] = [0, 0];
  for await (const chunk of chunks()) {
    if (options.signal.aborted) throw stopped(remote.policy.kept);
    uploads += 1;
    bytes += chunk.bytes;
    options.onProgress?.('read', uploads, 0);
  }
  const guarded = { isIdle, deletes: deletes.length, atTarget, readerGaps: [] };
  return {
    head,
    before: found?.head.generation ?? null,
    uploads,
    bytes,
    deletes,
    dropped: plan.dropped.length,
    isIdle,
    refusals: [
      ...(lost === undefined ? [] : [lost]),
      ...checkGuards(remote.name, head.base_url, guarded, { ...options, allowGaps: false }),
    ],
    chunks,
    done: { uploads: 0, deletes: 0 },
    traffic: remote.traffic,
    isConditional: true,
    invalidate: [],
  };
}

/** Yields the chunks of the log and of all new states, each once. */
async function* chunksToSend({ logChunks, states }: ComposedPlan, read: ReadChecked): AsyncGenerator<ChunkRef> {
  for (const { hash, bytes } of logChunks) yield { hash, bytes };
  yield* chunksOfStates(states, read);
}

/** Yields the chunks of all new states, each once. */
async function* chunksOfStates(states: ComposedPlan['states'], read: ReadChecked): AsyncGenerator<ChunkRef> {
  const seen = new Set<string>();
  for (const { state, base } of states) {
    for (const collection of ['data', 'account'] as const) {
      for await (const chunk of chunksBeyond(state[collection], base?.[collection], read)) {
        if (seen.has(chunk.hash)) continue;
        seen.add(chunk.hash);
        yield chunk;
      }
    }
  }
}

/** Sends the chunks, writes the head, and deletes what no state needs. */
async function execute(
  { remote, found, state, plan, deletes, read }: Prepared,
  summary: ComposedPublishSummary,
  options: ComposedPublishOptions,
): Promise<ComposedPublishSummary> {
  const { concurrency, repair, cacheControl } = options;
  let sent = 0;
  const onSent = (bytes: number) => {
    sent += bytes;
    options.onProgress?.('send', sent, Math.max(sent, summary.bytes));
  };
  const isConditional = await sendLog(remote, plan.head.log.root, plan.logChunks, options);
  const uploads = await sendChunks(chunksOfStates(plan.states, read), { remote, concurrency, repair, read, onSent });
  const list: ComposedState = { deletes, since: Date.now() };
  // before the head, so that the next run deletes what a killed run leaves
  if (state === undefined || deletes.length > 0) await writeComposedState(remote, list);
  if (!plan.isIdle) await writeHead(remote, plan.head, found, { cacheControl, isConditional, earlier: plan.published });
  const deleted = await deleteListed(remote, list.deletes, options);
  if (deleted === deletes.length && deletes.length + (state?.deletes.length ?? 0) > 0) {
    await writeComposedState(remote, { deletes: [], since: Date.now() });
  }
  const { pathname } = new URL(`${plan.head.base_url}/`);
  return {
    ...summary,
    done: { uploads: uploads + plan.logChunks.length, deletes: deleted },
    isConditional,
    invalidate: plan.isIdle ? [] : ['head.json', 'rest/*'].map((path) => pathname + path),
  };
}

async function deleteListed(
  remote: Remote,
  hashes: readonly string[],
  { concurrency, onProgress }: ComposedPublishOptions,
): Promise<number> {
  const started = performance.now();
  let deleted = 0;
  await forEachLimit(hashes, concurrency, async (hash) => {
    if (performance.now() - started > DELETE_MS) return;
    await remote.remove(chunkPath(hash));
    deleted += 1;
    onProgress?.('delete', deleted, hashes.length);
  });
  return deleted;
}
