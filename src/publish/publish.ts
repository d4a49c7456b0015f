import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Failure } from '../contract/failure.ts';
import { CredentialRefresh } from '../storage/credential-refresh.ts';
import { RequestCounter, type RetryPolicy, stopped, withRetry, wrapErrors } from '../storage/retry.ts';
import type { Target } from '../storage/target.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import { type ApplyResult, apply } from './apply.ts';
import type { Comparison } from './comparison.ts';
import { foundSortKeys } from './found-sort-keys.ts';
import { checkGuards, type Limits } from './guards.ts';
import { type HeaderChoice, headerLine, pageHeaders, plainHeaders } from './headers.ts';
import { awaitHolder, Lease } from './lease.ts';
import { type FileBeside, openTree, readBeside, readSortKeysFile } from './local-tree.ts';
import { refuseOtherFiles } from './other-files.ts';
import { type Plan, planPublish } from './plan.ts';
import { readRemote, readState } from './remote-tree.ts';
import { STATE, sizeOf, type TreeSize } from './state.ts';
import { type Step, stepsOf } from './steps.ts';

/** Milliseconds for one try of saying that a run lives, or that it ends without having come to its end. */
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** Of requests that are made also after the run was told to stop. */
const NEVER_ABORTED = new AbortController().signal;

export interface PublishOptions extends HeaderChoice, Limits {
  readonly out: string;
  readonly concurrency: number;
  /** Whether a folder that holds other files, and was never published to, takes a tree as well. */
  readonly allowOtherFiles: boolean;
  /** Whether each page at the target is asked for, to replace what is not as a run left it. */
  readonly repair: boolean;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout'>;
  /** Ends the run: what is under way is completed, nothing new begun. */
  readonly signal: AbortSignal;
  /** Called with the bytes sent and all that are to be sent, before compression. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
  /** Called with the files read and all of them, before the first request. */
  readonly onRead?: ((done: number, all: number) => void) | undefined;
}

export interface PublishSummary {
  readonly plan: Plan;
  /** Why the plan is not carried out, if it is not; none where it was. */
  readonly refusals: readonly Failure[];
  /** Every step of the plan, in order. */
  readonly steps: () => Iterable<Step>;
  readonly done: ApplyResult;
  readonly traffic: RequestCounter;
  /** Whether nothing but counts told how items move from the pages at the target. */
  readonly isByCounts: boolean;
  /** Whether an earlier run left the target unfinished. */
  readonly wasInterrupted: boolean;
  /** Whether the store kept two publishers apart for certain. */
  readonly isConditional: boolean;
  /** What a CDN in front has to fetch anew. */
  readonly invalidate: readonly string[];
}

/**
 * Publishes a tree: sends what the target does not have, in an order in which no reader misses anything.
 * @throws Failure no-tree, tree-unfinished, tree-edited, target-failed, target-denied, target-busy, not-ours,
 *   too-many-deletes, reader-gaps, stopped, file-system
 */
export async function publish(plainTarget: Target, options: PublishOptions): Promise<PublishSummary> {
  const { concurrency, signal } = options;
  // as many requests wait on it as are under way
  setMaxListeners(0, signal, NEVER_ABORTED);
  plainTarget.check?.(options.out);
  const tree = await openTree(options.out, (done, all) => {
    if (signal.aborted) throw stopped(plainTarget);
    options.onRead?.(done, all);
  });
  const traffic = new RequestCounter();
  const renewal = new CredentialRefresh(plainTarget);
  const within = (retryPolicy: Partial<RetryPolicy>) =>
    renewal.wrap(withRetry(plainTarget, { ...options.retryPolicy, signal: NEVER_ABORTED, ...retryPolicy }, traffic));
  const target = within({ signal });
  const line = headerLine(pageHeaders(options));
  const read = await wrapErrors(target, STATE, () => readState(target, signal));
  // what is there can be looked at only when nobody changes it
  if (!options.dryRun) await wrapErrors(target, STATE, () => awaitHolder(target, read?.state.holder ?? null, signal));
  const found = await wrapErrors(target, target.name, () => readRemote(target, read, tree, options, concurrency, signal));
  if (read === undefined && !options.allowOtherFiles) await refuseOtherFiles(plainTarget, signal);
  const sortKeys = await wrapErrors(target, SORT_KEYS, () => foundSortKeys(target, found.state, tree, signal));
  const comparison: Comparison = {
    ...tree,
    found,
    movement: sortKeys.movement,
    sendsSortKeys: tree.sortKeys !== undefined && (!sortKeys.areCurrent || options.repair),
    reads: traffic.reads - traffic.retries,
    hasOtherHeaders: target.keepsHeaders && !found.isScanned && found.state !== undefined && found.state.headers !== line,
    concurrency,
    prices: target.prices,
  };
  const plan = planPublish(comparison);
  const summary = {
    plan,
    refusals: checkGuards(target.name, plan, options),
    steps: () => stepsOf(comparison, plan.collections),
    traffic,
    isByCounts: found.trees.length > 0 && sortKeys.movement === undefined && !plan.isIdle,
    wasInterrupted: found.state?.state === 'publishing',
    isConditional: true,
  };
  const idle = { ...summary, done: { uploads: 0, overlaps: 0, deletes: 0 }, invalidate: [] };
  if (options.dryRun) return idle;
  if (plan.isIdle) return idle;
  const [refused] = summary.refusals;
  if (refused !== undefined) throw refused;

  // what an item moved past is not known to the next run by the tree's sort keys alone, if this one does not come to its end
  const trees = distinct([...found.trees, { ...sizeOf(tree.build), sort_keys: plan.gaps.length === 0 ? tree.sortKeys : undefined }]);
  const brief = within({ attempts: 2, timeout: Math.min(options.retryPolicy.timeout, HEARTBEAT_TIMEOUT_MS) });
  const lease = new Lease(brief, { trees, manifest: tree.build.manifest, headers: line }, found.tag, signal);
  await wrapErrors(target, STATE, () => lease.take(target));
  const hold = () => lease.hold();
  let sent = 0;
  const onSent = (bytes: number) => {
    sent += bytes;
    options.onProgress?.(sent, Math.max(sent, plan.bytes));
  };
  try {
    const { isConditional } = lease;
    const beside = async (to: Target, files: readonly FileBeside[]) => {
      for (const { path, bytes } of files) {
        const upload = { bytes, headers: plainHeaders(path), digest: hash('sha256', bytes) };
        await wrapErrors(to, path, () => to.put(path, upload, signal));
      }
    };
    if (comparison.sendsSortKeys) await beside(within({ signal, beforeAttempt: hold }), readSortKeysFile(tree));
    const allowGaps = options.allowGaps || found.isDamaged;
    const done = await apply({
      ...options,
      allowGaps,
      choice: options,
      plan,
      tree,
      target: within({ signal, beforeAttempt: hold }),
      isConditional,
      onSent,
    });
    // what ends a run is not cut short by being told to stop
    const closing = within({ beforeAttempt: hold });
    await beside(closing, readBeside(tree));
    await wrapErrors(closing, STATE, () => lease.release('published', within({}), tree.sortKeys));
    const { pathname } = new URL(`${tree.build.base_url}/rest/`);
    return { ...summary, done, isConditional, invalidate: [`${pathname}*`] };
  } catch (error) {
    // so that the next run need not wait for this one
    await lease.release('publishing', brief).catch(() => {});
    throw error;
  }
}

/** The trees that pages may come from, each once, the one to be published last. */
function distinct(trees: readonly TreeSize[]): TreeSize[] {
  const text = (tree: TreeSize) => JSON.stringify(Object.entries(tree).toSorted());
  return trees.filter((tree, index) => trees.findLastIndex((other) => text(other) === text(tree)) === index);
}
