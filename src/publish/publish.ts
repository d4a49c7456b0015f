import { hash } from 'node:crypto';
import type { Failure } from '../contract/failure.ts';
import { apply, type Done } from './apply.ts';
import { type Limits, refusals } from './guards.ts';
import { type HeaderChoice, headerLine, pageHeaders, plainHeaders } from './headers.ts';
import { awaitHolder, Lease } from './lease.ts';
import { openTree, readBeside } from './local-tree.ts';
import { type Comparison, type Plan, planPublish, type Step, stepsOf } from './plan.ts';
import { Renewal } from './renewal.ts';
import { type Patience, patient, Traffic, worded } from './retry.ts';
import { sizeOf, type TreeSize } from './state.ts';
import { survey } from './survey.ts';
import type { Target } from './target.ts';
import { Trouble } from './trouble.ts';

export interface PublishOptions extends HeaderChoice, Limits {
  readonly out: string;
  readonly concurrency: number;
  /** Whether nothing is written. */
  readonly isDry: boolean;
  readonly patience: Omit<Patience, 'signal'>;
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
  readonly done: Done;
  readonly traffic: Traffic;
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
  plainTarget.check?.(options.out);
  const tree = await openTree(options.out, options.onRead);
  const traffic = new Traffic();
  const renewal = new Renewal(plainTarget);
  const target = renewal.around(patient(plainTarget, { ...options.patience, signal }, traffic));
  // what begins and ends a run is not cut short by being told to stop
  const steady = renewal.around(patient(plainTarget, { ...options.patience, signal: new AbortController().signal }, traffic));
  const line = headerLine(pageHeaders(options));
  const found = await heeded(target, () => survey(target, tree, options, concurrency, signal));
  const comparison: Comparison = {
    ...tree,
    found,
    hasOtherHeaders: target.keepsHeaders && !found.isAsked && found.state !== undefined && found.state.headers !== line,
    concurrency,
    prices: target.prices,
  };
  const plan = planPublish(comparison);
  const summary = {
    plan,
    refusals: refusals(target.name, plan, options),
    steps: () => stepsOf(comparison, plan.collections),
    traffic,
    wasInterrupted: found.state?.state === 'publishing',
    isConditional: true,
  };
  const idle = { ...summary, done: { uploads: 0, bridges: 0, deletes: 0 }, invalidate: [] };
  if (options.isDry) return idle;
  const isSame = plan.uploads + plan.deletes === 0 && found.state?.manifest === tree.build.manifest && !found.isAsked;
  if (isSame) return idle;
  const [refused] = summary.refusals;
  if (refused !== undefined) throw refused;

  await heeded(target, () => awaitHolder(target, found.state, signal));
  const trees = distinct([...found.trees, sizeOf(tree.build)]);
  const lease = new Lease(steady, { trees, manifest: tree.build.manifest, headers: line }, found.tag);
  await heeded(target, () => lease.take(signal));
  let sent = 0;
  const onSent = (bytes: number) => {
    sent += bytes;
    options.onProgress?.(sent, Math.max(sent, plan.bytes));
  };
  try {
    const done = await apply({ ...options, choice: options, plan, tree, target, lease, onSent });
    for (const { path, bytes } of readBeside(tree)) {
      await lease.hold();
      await heeded(steady, () => steady.put(path, { bytes, headers: plainHeaders(path), digest: hash('sha256', bytes) }, signal));
    }
    await heeded(steady, () => lease.release('published', signal));
    const { pathname } = new URL(`${tree.build.base_url}/rest/`);
    return { ...summary, done, isConditional: lease.isConditional, invalidate: [`${pathname}*`] };
  } catch (error) {
    // so that the next run need not wait for this one
    await lease.release('publishing', signal).catch(() => {});
    throw error;
  }
}

/** The trees that pages may come from, each once, the one to be published last. */
function distinct(trees: readonly TreeSize[]): TreeSize[] {
  const text = (tree: TreeSize) => JSON.stringify(Object.entries(tree).toSorted());
  return trees.filter((tree, index) => trees.findLastIndex((other) => text(other) === text(tree)) === index);
}

async function heeded<T>(target: Target, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof Trouble ? worded(target, target.name, error) : error;
  }
}
