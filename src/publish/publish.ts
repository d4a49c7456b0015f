import type { Exclusion } from '../contract/accounts/exclusion.ts';
import { type OnProgress, stopped } from '../contract/event-loop-pauses.ts';
import type { Failure } from '../contract/failure.ts';
import { noConditions } from '../storage/conditional-write-proof.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import { lockTarget, type Target } from '../storage/target.ts';
import { refuseOtherForm } from '../storage/target-form.ts';
import { indexPath } from '../tree/layout.ts';
import { readMetadata, readSortKeysFile, type VerifiedTree } from '../tree/verified-tree.ts';
import { fileHeaders, type HeaderChoice, headerLine } from './objects/headers.ts';
import { checkGuards, type Limits, lackingIn, type Removal } from './planning/guards.ts';
import { type Plan, planPublish } from './planning/plan.ts';
import { type Stage, type Step, stepsOf } from './planning/steps.ts';
import type { Comparison } from './planning/tree-comparison.ts';
import { awaitOtherRun, Lease } from './state/lease.ts';
import { distinct, type FoundState, readState, sizeOf } from './state/state.ts';
import { proofRequests, provesConditions } from './state/state-object.ts';
import { manifestOfBoth, runSteps, type TransferResult, uploadMetadata } from './transfer/run-steps.ts';
import { openTree } from './trees/local-tree.ts';
import { refuseOtherFiles, refuseOtherHome } from './trees/refuse-other-files.ts';
import { browsePairs, readRemoteTree, sortKeyMovement } from './trees/remote-tree.ts';
import { countRemoved, removalBehind } from './trees/removed-at-target.ts';

/**
 * The phases of a publish. `read` counts the files of the tree and `scan` those at the target. `send` counts bytes before
 * compression, and `delete` files.
 */
export type PublishPhase = 'read' | 'scan' | 'send' | 'delete';

export interface PublishOptions extends HeaderChoice, Limits, RemoteOptions {
  readonly out: string;
  /** Whether to publish to a folder that contains other files and was never published to. */
  readonly allowOtherFiles: boolean;
  /** Whether to check each page at the target and replace those that differ. */
  readonly repair: boolean;
  /** Whether to publish to an object store whose conditional writes are not tested. */
  readonly singlePublisher: boolean;
  /** Returns the exclusions of the store; undefined without a store. */
  readonly exclusions: () => readonly Exclusion[] | undefined;
  /** Whether a tree is of the present state of the store, of an earlier one, or of another store. */
  readonly stateOf: (build: VerifiedTree['build']) => 'current' | 'earlier' | 'other';
  /** Whether to plan only, without any write. */
  readonly dryRun: boolean;
  readonly onProgress?: OnProgress<PublishPhase> | undefined;
}

export interface PublishSummary {
  readonly plan: Plan;
  /** The reasons why the plan was not carried out; empty if it was. */
  readonly refusals: readonly Failure[];
  /** The removed accounts from which the deletes of the plan follow; undefined if the plan is within the limit, or has other deletes. */
  readonly removal: Removal | undefined;
  /** Whether the store has changed since the tree was built. */
  readonly isOlder: boolean;
  /** Every step of the plan, in order. */
  readonly steps: () => Iterable<Step>;
  readonly done: TransferResult;
  readonly traffic: Remote['traffic'];
  /** Whether the target had no pages before. */
  readonly isNew: boolean;
  /** Whether only counts were available to determine how items move from the pages at the target. */
  readonly isByCounts: boolean;
  /** Whether an earlier run left the target unfinished. */
  readonly wasInterrupted: boolean;
  /** Whether the conditions of writes, which exclude a second publisher, are proved. Undefined if nothing was written. */
  readonly isConditional: boolean | undefined;
  /** The number of files that the tree no longer has and that only the next run deletes. */
  readonly left: number;
  /** The path patterns to invalidate in a CDN. */
  readonly invalidate: readonly string[];
}

/**
 * Publishes a tree: sends the files that the target lacks, in an order in which readers miss nothing.
 * @throws Failure no-tree, tree-unfinished, tree-edited, target-failed, target-denied, target-busy, not-ours,
 *   store-diverged, other-form, no-conditions, loopback-url, other-base-url, too-many-deletes, reader-gaps, stopped, file-system;
 *   bad-store, store-older, store-newer
 */
export async function publish(target: Target, options: PublishOptions): Promise<PublishSummary> {
  const prepared = await prepare(target, options);
  const { tree, remote, read, of, exclusions, comparison } = prepared;
  const plan = planPublish(comparison);
  const [{ build }, state] = [tree, read?.state];
  const removal = await removalBehind(remote, comparison, exclusions, plan, options);
  const isResumed = state?.state === 'publishing' && state.manifest === build.manifest;
  const lacking = lackingIn(build, comparison.found.trees, plan.browse);
  const removedInTree = { of, accounts: of === 'current' ? 0 : countRemoved(tree, exclusions) };
  const facts = { baseUrl: build.base_url, baseUrlThere: state?.base_url, lacking, removedInTree, exclusions: comparison.exclusions };
  const refusals = checkGuards(target.name, { ...plan, ...facts, areDeletesAllowed: isResumed || removal !== undefined }, options);
  const summary = { ...summaryOf(prepared, plan, refusals), removal, isOlder: of === 'earlier' };
  const [refused] = refusals;
  if (refused !== undefined && !options.dryRun) throw refused;
  target.checkFiles?.(summary.steps());
  if (options.dryRun || plan.isIdle) return summary;
  const lock = lockTarget(target);
  try {
    const isConditional = lock !== undefined || (await provesConditions(remote, read));
    if (!isConditional && !options.singlePublisher) throw noConditions(remote);
    return { ...summary, ...(await execute(prepared, plan, isConditional, options)) };
  } finally {
    lock?.release();
  }
}

/** The tree to publish, the target, and their differences. */
interface Prepared {
  readonly tree: VerifiedTree;
  readonly remote: Remote;
  readonly read: FoundState | undefined;
  /** Which state of the store the tree is of, and the exclusions of the store: none without a store. */
  readonly of: ReturnType<PublishOptions['stateOf']>;
  readonly exclusions: readonly Exclusion[];
  readonly comparison: Comparison;
}

/** Reads the whole tree, and then what is at the target. Writes nothing. */
async function prepare(target: Target, options: PublishOptions): Promise<Prepared> {
  const { concurrency, signal } = options;
  const kept = `the files that were sent to ${target.name} are kept, and the next run sends the rest`;
  target.check?.(options.out);
  const tree = await openTree(options.out, (done, all) => {
    if (signal.aborted) throw stopped(kept);
    options.onProgress?.('read', done, all);
  });
  const remote = openRemote(target, { ...options, kept });
  const read = await readState(remote);
  if (read === undefined) await refuseOtherForm(remote, 'pages');
  // the target must not change while it is read
  if (!options.dryRun) await awaitOtherRun(remote, read?.state.holder ?? null);
  const onScan = (done: number, all: number) => options.onProgress?.('scan', done, all);
  const found = await readRemoteTree(remote, read?.state, tree, { ...options, onScan });
  if (read === undefined && !options.allowOtherFiles) refuseOtherFiles(target);
  await refuseOtherHome(remote, tree, found.digests);
  const { movement, sendsSortKeys } = await sortKeyMovement(remote, read?.state, tree);
  const of = options.stateOf(tree.build);
  // after the state: an account that is removed meanwhile is among them
  const exclusions = options.exclusions();
  const excluded = read?.state.exclusions ?? 0;
  const { keepsHeaders, prices, traffic } = remote;
  const comparison: Comparison = {
    ...tree,
    bytesOf: (path) => tree.files.size(path) ?? 0,
    found,
    browsePairs: () => browsePairs(tree, found.digests),
    movement,
    sendsSortKeys: sendsSortKeys || options.repair,
    reads: traffic.reads - traffic.retries,
    // the lock of a folder needs no proof
    proof: target.lock === undefined ? proofRequests(read) : undefined,
    hasOtherHeaders: keepsHeaders && !found.isScanned && read !== undefined && read.state.headers !== headersOf(options),
    exclusions: { store: exclusions?.length ?? excluded, target: excluded },
    concurrency,
    prices,
  };
  return { tree, remote, read, of, exclusions: exclusions ?? [], comparison };
}

/** Returns the summary of a run that changes nothing. */
function summaryOf(
  { remote, read, comparison: { found, movement } }: Prepared,
  plan: Plan,
  refusals: readonly Failure[],
): Omit<PublishSummary, 'removal' | 'isOlder'> {
  return {
    plan,
    refusals,
    steps: () => stepsOf([...plan.stages, ...plan.deleteStages]),
    done: { uploads: 0, overlaps: 0, deletes: 0 },
    traffic: remote.traffic,
    isNew: read === undefined && found.trees.length === 0,
    isByCounts: found.trees.length > 0 && movement === undefined && !plan.isIdle,
    wasInterrupted: read?.state.state === 'publishing',
    isConditional: undefined,
    left: 0,
    invalidate: [],
  };
}

/** Carries out the plan while this run has the lease. */
async function execute(
  prepared: Prepared,
  plan: Plan,
  isConditional: boolean,
  options: PublishOptions,
): Promise<Pick<PublishSummary, 'done' | 'isConditional' | 'left' | 'invalidate'>> {
  const { tree, remote, read, comparison } = prepared;
  // with gaps, the sort keys alone do not show the next run how items moved if this run does not finish
  const size = { ...sizeOf(tree.build), sort_keys: plan.readerGaps.length === 0 ? tree.sortKeys : undefined };
  const [{ manifest, base_url }, { found, exclusions }] = [tree.build, comparison];
  const claim = { trees: distinct([...found.trees, size]), manifest, headers: headersOf(options), base_url, exclusions: exclusions.store };
  const lease = new Lease(remote, claim, read, isConditional);
  await lease.take();
  try {
    // without conditions, a file of another run that this one does not see would be deleted: the next run deletes it
    const left = !isConditional && plan.uploads > 0 ? plan.deletes : 0;
    const done = await send(prepared, plan, left > 0 ? plan.stages : [...plan.stages, ...plan.deleteStages], lease, isConditional, options);
    if (left > 0) await lease.abandon();
    else await close(prepared, lease);
    return { done, isConditional, left, invalidate: invalidatedPaths(tree, plan) };
  } catch (error) {
    // the lease expires in any case
    await lease.abandon().catch(() => {});
    throw error;
  }
}

/** Sends what the next run needs if this one does not finish, then carries out the stages. */
async function send(
  { tree, remote, comparison }: Prepared,
  plan: Plan,
  stages: readonly Stage[],
  lease: Lease,
  isConditional: boolean,
  options: PublishOptions,
): Promise<TransferResult> {
  const held = remote.with({ beforeAttempt: () => lease.hold() });
  if (plan.browse.hasUnlisted) await uploadMetadata(held, [manifestOfBoth(tree.out, comparison.browsePairs())]);
  if (comparison.sendsSortKeys) await uploadMetadata(held, [readSortKeysFile(tree)]);
  let sent = 0;
  const transfer = {
    tree,
    remote: held,
    headers: options,
    isConditional,
    allowGaps: options.allowGaps || comparison.found.isDamaged,
    onSent: (bytes: number) => {
      sent += bytes;
      options.onProgress?.('send', sent, Math.max(sent, plan.bytes));
    },
    onDeleted: (deleted: number) => options.onProgress?.('delete', deleted, Math.max(deleted, plan.deletes)),
  };
  return runSteps(stages, transfer, options.concurrency);
}

/** Sends the build record and the manifest, and releases the lease. An abort does not interrupt these last requests. */
async function close({ tree, remote }: Prepared, lease: Lease): Promise<void> {
  await uploadMetadata(remote.with({ signal: undefined, beforeAttempt: () => lease.hold() }), readMetadata(tree));
  await lease.complete(tree.sortKeys);
}

function headersOf(choice: HeaderChoice): string {
  return headerLine(fileHeaders(choice, indexPath('data')));
}

function invalidatedPaths({ build }: VerifiedTree, { browse }: Plan): string[] {
  const { pathname } = new URL(`${build.base_url}/`);
  const browsePaths = browse.files + browse.atTarget === 0 ? [] : ['browse/*', '', 'index.html'];
  return ['rest/*', ...browsePaths].map((path) => pathname + path);
}
