import type { Collection } from '../../contract/pages/collection.ts';
import type { Prices } from '../../storage/target.ts';
import { plainPath } from '../../tree/encoding.ts';
import { hasPage, pathsInWriteOrder } from '../../tree/layout.ts';
import type { Digests } from '../../tree/manifest/digests.ts';
import type { Movement } from '../../tree/moved-items.ts';
import type { TreeSize } from '../state/state.ts';
import type { Requests } from '../state/state-object.ts';
import type { BrowsePair } from './browse-plan.ts';
import type { Step } from './steps.ts';

/** The digest of an object that exists but whose content is not known. */
export const UNKNOWN_DIGEST: string = 'ff'.repeat(32);

/** Why a step of the plan is needed. */
export const REASONS = {
  new: 'not at the target',
  changed: 'other bytes at the target',
  headers: 'same bytes, other headers',
  unknown: 'unknown content at the target',
  gone: 'no longer in the tree',
} as const;

export type Reason = keyof typeof REASONS;

/** The files at a target. */
export interface FoundTree {
  /** The trees that the pages may come from; empty if the target has no pages. */
  readonly trees: readonly TreeSize[];
  /** The digests of the files, with the layout of a tree that has as many pages as the largest of `trees`. */
  readonly digests: Digests;
  /** Whether the pages were requested one by one, because no completed run describes them, or to repair them. */
  readonly isScanned: boolean;
  /** Whether pages differ from those that the last run wrote, or this cannot be determined. */
  readonly isDamaged: boolean;
  /** Whether a run published this very tree completely, and the files beside its pages are unchanged since. */
  readonly isCurrent: boolean;
}

/** How many exclusions the store of the tree has, and how many the last known store of the target had. Equal without a store. */
export interface ExclusionCounts {
  readonly store: number;
  readonly target: number;
}

/** The input of a plan: the tree, the content of the target, how items move, and prices. */
export interface Comparison {
  readonly build: TreeSize;
  readonly digests: Digests;
  /** Returns the size of a file in the tree. */
  readonly bytesOf: (path: string) => number;
  readonly found: FoundTree;
  /** Yields the browse files of the tree and of the target. Each call reads both manifests again. */
  readonly browsePairs: () => Iterable<BrowsePair>;
  /** How items move from the pages at the target; undefined if it has no sort keys that can be trusted. */
  readonly movement: Movement | undefined;
  /** Whether the tree's sort keys must be sent. */
  readonly sendsSortKeys: boolean;
  /** The number of read requests made so far. */
  readonly reads: number;
  /** The requests that prove the conditions of writes; undefined if the target needs no proof. */
  readonly proof: Requests | undefined;
  /** Whether the pages at the target have other headers than this run would set. */
  readonly hasOtherHeaders: boolean;
  readonly exclusions: ExclusionCounts;
  readonly concurrency: number;
  readonly prices: Prices;
}

/** Returns the steps that send the files of a page, in order. */
export function uploadsOf(comparison: Comparison, collection: Collection, page: number): readonly Step[] {
  const { digests, found } = comparison;
  return pathsInWriteOrder(collection, page, digests).flatMap(
    (path) => uploadOf(comparison, path, digests.get(path) ?? '', found.digests.get(path)) ?? [],
  );
}

/**
 * Returns the step that sends a file; undefined if the target has it.
 * @param there the digest at the target; undefined if the target does not have the file
 */
export function uploadOf(
  { bytesOf, hasOtherHeaders }: Pick<Comparison, 'bytesOf' | 'hasOtherHeaders'>,
  path: string,
  digest: string,
  there: string | undefined,
): Step | undefined {
  const reason = reasonOf(digest, there, hasOtherHeaders);
  return reason && { action: 'upload', path, digest, bytes: bytesOf(path), reason };
}

function reasonOf(wanted: string, there: string | undefined, hasOtherHeaders: boolean): Reason | undefined {
  if (there === undefined) return 'new';
  if (there === UNKNOWN_DIGEST) return 'unknown';
  if (there !== wanted) return 'changed';
  return hasOtherHeaders ? 'headers' : undefined;
}

/** Returns the step that deletes a file, because the tree does not have it. */
export function deleteOf(path: string): Step {
  return { action: 'delete', path, bytes: 0, reason: 'gone', digest: '' };
}

/**
 * Yields the deletes of files at a target that the tree does not have, highest page first.
 * @param which `gone` for the files of removed pages, `outdated` for compressed copies of files that stay
 */
export function* surplus({ digests, found }: Comparison, collection: Collection, which: 'gone' | 'outdated'): Generator<Step> {
  const there = found.digests;
  for (let page = there.pages[collection]; page >= 1; page -= 1) {
    for (const path of pathsInWriteOrder(collection, page, there)) {
      if (there.get(path) === undefined || hasPage(path, digests)) continue;
      const isGone = !hasPage(plainPath(path), digests);
      if (isGone === (which === 'gone')) yield deleteOf(path);
    }
  }
}
