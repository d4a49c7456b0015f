import { hash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { apply, type Done } from './apply.ts';
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

export interface PublishOptions extends HeaderChoice {
  readonly out: string;
  readonly concurrency: number;
  /** How many pages may be deleted: a number, or a share of the files at the target. */
  readonly maxDelete: { readonly most: number } | { readonly share: number };
  /** Whether a tree is published that no order can bring to readers without their missing something. */
  readonly allowGaps: boolean;
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
    steps: () => stepsOf(comparison, plan.collections),
    traffic,
    wasInterrupted: found.state?.state === 'publishing',
    isConditional: true,
  };
  const idle = { ...summary, done: { uploads: 0, bridges: 0, deletes: 0 }, invalidate: [] };
  if (options.isDry) return idle;
  const isSame = plan.uploads + plan.deletes === 0 && found.state?.manifest === tree.build.manifest && !found.isAsked;
  if (isSame) return idle;
  guard(target, plan, options);

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

function guard(target: Target, plan: Plan, { maxDelete, allowGaps }: PublishOptions): void {
  const most = 'most' in maxDelete ? maxDelete.most : Math.floor(maxDelete.share * plan.atTarget);
  if (plan.deletes > most) {
    throw new Failure('too-many-deletes', `${plan.deletes} of the ${plan.atTarget} files at ${target.name} would be deleted`, {
      expected: `at most ${most}`,
      found: `${plan.deletes} pages that the tree no longer has`,
      hint: 'look whether this is the right tree and the right target (--plan); --max-delete allows more',
    });
  }
  if (plan.gaps.length > 0 && !allowGaps) {
    throw new Failure('reader-gaps', `no order can bring this tree to ${target.name} without a reader missing something`, {
      expected: 'as many records and accounts as before or more, on pages that are no larger',
      found: plan.gaps.join('; '),
      hint: 'publish with --allow-gaps if readers may miss records that move past them',
    });
  }
}

async function heeded<T>(target: Target, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof Trouble ? worded(target, target.name, error) : error;
  }
}
