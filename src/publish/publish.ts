import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Failure } from '../contract/failure.ts';
import { type OnProgress, stopped } from '../contract/pauses.ts';
import { CredentialRefresh } from '../storage/credential-refresh.ts';
import { RequestCounter, type RetryPolicy, withRetry, wrapErrors } from '../storage/retry.ts';
import type { Target } from '../storage/target.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import { type ApplyResult, apply } from './apply.ts';
import type { Comparison } from './comparison.ts';
import { foundSortKeys } from './found-sort-keys.ts';
import { checkGuards, type Limits } from './guards.ts';
import { type HeaderChoice, headerLine, pageHeaders, plainHeaders } from './headers.ts';
import { awaitHolder, keptAt, Lease } from './lease.ts';
import { type FileBeside, openTree, readBeside, readSortKeysFile } from './local-tree.ts';
import { refuseOtherFiles } from './other-files.ts';
import { type Plan, planPublish } from './plan.ts';
import { readRemote, readState } from './remote-tree.ts';
import { STATE, sizeOf, type TreeSize } from './state.ts';
import { type Step, stepsOf } from './steps.ts';

/** Milliseconds for one attempt of a heartbeat, or of the release of the lease by a run that failed. */
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** For requests that are sent even after the run was aborted. */
const NEVER_ABORTED = new AbortController().signal;

/**
 * The phases of a publish. `read` counts the files of the tree and `scan` those at the target. `send` counts bytes before
 * compression, and `delete` files.
 */
export type PublishPhase = 'read' | 'scan' | 'send' | 'delete';

export interface PublishOptions extends HeaderChoice, Limits {
  readonly out: string;
  readonly concurrency: number;
  /** Whether to publish to a folder that contains other files and was never published to. */
  readonly allowOtherFiles: boolean;
  /** Whether to check each page at the target and replace those that differ. */
  readonly repair: boolean;
  /** Whether to plan only, without any write. */
  readonly dryRun: boolean;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout'>;
  /** Stops the run: requests in flight are completed, and no new request begins. */
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress<PublishPhase> | undefined;
}

export interface PublishSummary {
  readonly plan: Plan;
  /** The reasons why the plan was not carried out; empty if it was. */
  readonly refusals: readonly Failure[];
  /** Every step of the plan, in order. */
  readonly steps: () => Iterable<Step>;
  readonly done: ApplyResult;
  readonly traffic: RequestCounter;
  /** Whether only counts were available to determine how items move from the pages at the target. */
  readonly isByCounts: boolean;
  /** Whether an earlier run left the target unfinished. */
  readonly wasInterrupted: boolean;
  /** Whether the store supports conditional writes, which exclude a second publisher for certain. */
  readonly isConditional: boolean;
  /** The path patterns to invalidate in a CDN. */
  readonly invalidate: readonly string[];
}

/**
 * Publishes a tree: sends the files that the target lacks, in an order in which readers miss nothing.
 * @throws Failure no-tree, tree-unfinished, tree-edited, target-failed, target-denied, target-busy, not-ours,
 *   too-many-deletes, reader-gaps, stopped, file-system
 */
export async function publish(plainTarget: Target, options: PublishOptions): Promise<PublishSummary> {
  const { concurrency, signal, onProgress = () => {} } = options;
  // each request in flight adds a listener
  setMaxListeners(0, signal, NEVER_ABORTED);
  plainTarget.check?.(options.out);
  const tree = await openTree(options.out, (done, all) => {
    if (signal.aborted) throw stopped(keptAt(plainTarget));
    onProgress('read', done, all);
  });
  const traffic = new RequestCounter();
  const renewal = new CredentialRefresh(plainTarget);
  const targetWith = (retryPolicy: Partial<RetryPolicy>) =>
    renewal.wrap(
      withRetry(plainTarget, { ...options.retryPolicy, signal: NEVER_ABORTED, kept: keptAt(plainTarget), ...retryPolicy }, traffic),
    );
  const target = targetWith({ signal });
  const line = headerLine(pageHeaders(options));
  const read = await wrapErrors(target, STATE, () => readState(target, signal));
  // the target must not change while it is read
  if (!options.dryRun) await wrapErrors(target, STATE, () => awaitHolder(target, read?.state.holder ?? null, signal));
  const found = await wrapErrors(target, target.name, () =>
    readRemote(target, read, tree, { ...options, onScan: (done, all) => onProgress('scan', done, all) }, concurrency, signal),
  );
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

  // with gaps, the sort keys alone do not show the next run how items moved if this run does not finish
  const trees = distinct([...found.trees, { ...sizeOf(tree.build), sort_keys: plan.gaps.length === 0 ? tree.sortKeys : undefined }]);
  const heartbeatTarget = targetWith({ attempts: 2, timeout: Math.min(options.retryPolicy.timeout, HEARTBEAT_TIMEOUT_MS) });
  const lease = new Lease(heartbeatTarget, { trees, manifest: tree.build.manifest, headers: line }, found.tag, signal);
  await wrapErrors(target, STATE, () => lease.take(target));
  const hold = () => lease.hold();
  let sent = 0;
  const onSent = (bytes: number) => {
    sent += bytes;
    onProgress('send', sent, Math.max(sent, plan.bytes));
  };
  try {
    const { isConditional } = lease;
    const sendBeside = async (to: Target, files: readonly FileBeside[]) => {
      for (const { path, bytes } of files) {
        const upload = { bytes, headers: plainHeaders(path), digest: hash('sha256', bytes) };
        await wrapErrors(to, path, () => to.put(path, upload, signal));
      }
    };
    if (comparison.sendsSortKeys) await sendBeside(targetWith({ signal, beforeAttempt: hold }), readSortKeysFile(tree));
    const allowGaps = options.allowGaps || found.isDamaged;
    const done = await apply({
      ...options,
      allowGaps,
      choice: options,
      plan,
      tree,
      target: targetWith({ signal, beforeAttempt: hold }),
      isConditional,
      onSent,
      onDeleted: (deleted) => onProgress('delete', deleted, Math.max(deleted, plan.deletes)),
    });
    // an abort does not interrupt the last requests of a run
    const closing = targetWith({ beforeAttempt: hold });
    await sendBeside(closing, readBeside(tree));
    await wrapErrors(closing, STATE, () => lease.release('published', targetWith({}), tree.sortKeys));
    const { pathname } = new URL(`${tree.build.base_url}/rest/`);
    return { ...summary, done, isConditional, invalidate: [`${pathname}*`] };
  } catch (error) {
    // the next run then need not wait until the lease expires
    await lease.release('publishing', heartbeatTarget).catch(() => {});
    throw error;
  }
}

/** Removes duplicates from the trees that pages may come from. The tree to be published stays last. */
function distinct(trees: readonly TreeSize[]): TreeSize[] {
  const text = (tree: TreeSize) => JSON.stringify(Object.entries(tree).toSorted());
  return trees.filter((tree, index) => trees.findLastIndex((other) => text(other) === text(tree)) === index);
}
