import { type ComposedHead, requireHead } from '../../composed/head.ts';
import type { Failure } from '../../contract/failure.ts';
import { type OnProgress, stopped } from '../../contract/pauses.ts';
import { openRemote, type Remote, type RemoteOptions } from '../../storage/remote.ts';
import type { RequestCounter } from '../../storage/request-counter.ts';
import type { Target } from '../../storage/target.ts';
import { checkGuards, type Limits } from '../planning/guards.ts';
import { refuseOtherFiles } from '../trees/other-files.ts';
import { ClaimedState, type ComposedState, type FoundState, readComposedState } from './composed-state.ts';
import { type Deletes, deleteListed, deletesOf, refuseUnfinishedDeletes } from './deletes.ts';
import { generationsToPublish, hasRemoved, lostGenerations } from './generations.ts';
import { type FoundHead, readHeadAt, writeHead } from './head-object.ts';
import { lockTarget } from './lock-target.ts';
import { type ComposedPlan, planComposed } from './plan.ts';
import { readEither, readIfIntact } from './read-chunk.ts';
import { readPlanned, sendChunks } from './send.ts';
import { type ChunkReads, type ChunkRef, chunksBeyond } from './tree-difference.ts';

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
  /** How many nodes of deleted states, and entries of the log, are missing or damaged. Chunks that only they name stay. */
  readonly unreadable: number;
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
    const sends = await sendsOf(prepared, options);
    const summary = summaryOf(prepared, sends, options);
    if (options.dryRun || summary.isIdle) return summary;
    const [refused] = summary.refusals;
    if (refused !== undefined) throw refused;
    return await execute(prepared, sends, summary, options);
  } finally {
    lock?.release();
  }
}

/** What is at the target, and what to do. */
interface Prepared {
  readonly remote: Remote;
  readonly found: FoundHead | undefined;
  readonly state: FoundState | undefined;
  readonly plan: ComposedPlan;
  readonly deletes: Deletes;
  /** How many generations at the target are unknown, because its log is damaged. */
  readonly unknown: number;
  readonly lost: Failure | undefined;
  readonly reads: ChunkReads;
}

async function prepare(remote: Remote, target: Target, head: ComposedHead, options: ComposedPublishOptions): Promise<Prepared> {
  // in this order: a run lists its deletes before it writes the head, so the list of the run that wrote this head is there
  const found = await readHeadAt(remote);
  const state = await readComposedState(remote);
  if (found === undefined && state === undefined && !options.allowOtherFiles) refuseOtherFiles(target);
  if (!options.dryRun && !options.isSinglePublisher) refuseUnfinishedDeletes(remote, state, Date.now());
  const readTree = readEither(options.out, remote);
  const { generations, before, isSuccessor, unknown } = await generationsToPublish(head, found?.head, options.append, readTree);
  const lost = lostGenerations(remote.name, head, found?.head, isSuccessor);
  const plan = planComposed({
    head,
    generations,
    found: found && { head: found.head, generations: before },
    noted: state?.states ?? [],
    isSuccessor,
    hasRemoved: found !== undefined && hasRemoved(head, found.head),
    repair: options.repair,
    keep: options.keep,
    now: Date.now(),
  });
  const reads = { read: readPlanned(plan.logChunks, readTree), readIfIntact: readIfIntact(options.out, remote) };
  const deletes = await deletesOf(plan, state?.deletes ?? [], reads);
  return { remote, found, state, plan, deletes, unknown, lost: options.dropGenerations ? undefined : lost, reads };
}

/** What a plan sends. */
interface Sends {
  readonly uploads: number;
  readonly bytes: number;
  /** The nodes. They are few, compared with the leaves. */
  readonly nodes: readonly ChunkRef[];
}

async function sendsOf({ remote, plan, reads }: Prepared, { signal, onProgress }: ComposedPublishOptions): Promise<Sends> {
  const nodes: ChunkRef[] = [];
  let [uploads, bytes] = [0, 0];
  for await (const chunk of chunksToSend(plan, reads)) {
    if (signal.aborted) throw stopped(remote.policy.kept);
    uploads += 1;
    bytes += chunk.bytes;
    if (chunk.level > 0) nodes.push(chunk);
    onProgress?.('read', uploads, 0);
  }
  return { uploads, bytes, nodes };
}

/** Returns the summary of a run that changes nothing. */
function summaryOf(
  { remote, found, state, plan, deletes, unknown, lost, reads }: Prepared,
  { uploads, bytes }: Sends,
  options: ComposedPublishOptions,
): ComposedPublishSummary {
  const { head, deleted, dropped } = plan;
  const isIdle = plan.isIdle && state !== undefined && deleted.length + state.deletes.length === 0 && !options.repair;
  const { hashes, pending, atTarget, unreadable } = deletes;
  const guarded = { isIdle, deletes: hashes.length - pending, atTarget, readerGaps: [] };
  return {
    head,
    before: found?.head.generation ?? null,
    uploads,
    bytes,
    deletes: hashes,
    dropped: dropped.length + unknown,
    unreadable: unreadable.length + unknown,
    isIdle,
    refusals: [
      ...(lost === undefined ? [] : [lost]),
      ...checkGuards(remote.name, head.base_url, guarded, { ...options, allowGaps: false }),
    ],
    chunks: () => chunksToSend(plan, reads),
    done: { uploads: 0, deletes: 0 },
    traffic: remote.traffic,
    isConditional: true,
    invalidate: [],
  };
}

/** Yields the chunks of the log and of all new states, each once. */
async function* chunksToSend({ logChunks, states }: ComposedPlan, reads: ChunkReads): AsyncGenerator<ChunkRef> {
  for (const { hash, bytes } of logChunks) yield { hash, bytes, level: 0 };
  const seen = new Set<string>();
  for (const { state, base } of states) {
    for (const collection of ['data', 'account'] as const) {
      for await (const chunk of chunksBeyond(state[collection], base?.[collection], reads)) {
        if (seen.has(chunk.hash)) continue;
        seen.add(chunk.hash);
        yield chunk;
      }
    }
  }
}

async function* leavesIn(chunks: AsyncIterable<ChunkRef>): AsyncGenerator<ChunkRef> {
  for await (const chunk of chunks) if (chunk.level === 0) yield chunk;
}

/** Notes what it sends, sends the chunks, writes the head, and deletes what no state needs. */
async function execute(
  { remote, found, state, plan, deletes, reads }: Prepared,
  { nodes }: Sends,
  summary: ComposedPublishSummary,
  options: ComposedPublishOptions,
): Promise<ComposedPublishSummary> {
  const { concurrency, repair, cacheControl, onProgress } = options;
  const pending = state?.deletes ?? [];
  const { head, published, unlisted, deleted } = plan;
  // if this run is killed, the next one finds from these states what was sent
  const claim = { deletes: pending, since: state?.since ?? 0, states: [...unlisted, ...deleted] };
  const claimed = await ClaimedState.claim(remote, state, claim, options);
  const { isConditional } = claimed;
  let sent = 0;
  const onSent = (bytes: number) => {
    sent += bytes;
    onProgress?.('send', sent, Math.max(sent, summary.bytes));
  };
  const transfer = { remote, concurrency, repair, read: reads.read, onSent };
  let uploads = 0;
  // a node is sent before the chunks below it, so that everything at the target can be found from the roots
  for (const level of [...new Set(nodes.map((node) => node.level))].sort((one, other) => other - one)) {
    uploads += await sendChunks(
      nodes.filter((node) => node.level === level),
      transfer,
    );
  }
  uploads += await sendChunks(leavesIn(summary.chunks()), transfer);
  const list: ComposedState = { deletes: deletes.hashes, since: Date.now(), states: unlisted };
  // before the head, so that the next run deletes what a killed run leaves
  if (deleted.length + pending.length > 0) await claimed.write(list);
  if (!plan.isIdle) await writeHead(remote, head, found, { cacheControl, isConditional, earlier: published });
  const kept = `readers of ${remote.name} see the new state, and the next run deletes the rest`;
  const onDeleted = (done: number) => onProgress?.('delete', done, deletes.hashes.length);
  await deleteListed(remote.with({ kept }), claimed, list, { concurrency, onDeleted });
  const { pathname } = new URL(`${head.base_url}/`);
  const changed = [...(plan.isIdle ? [] : ['head.json', 'rest/*']), ...(deletes.hashes.length === 0 ? [] : ['chunks/*'])];
  return {
    ...summary,
    done: { uploads, deletes: deletes.hashes.length },
    isConditional,
    invalidate: changed.map((path) => pathname + path),
  };
}
