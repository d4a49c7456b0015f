import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { Movement } from '../tree/movement.ts';
import type { TreeSize } from './state.ts';

/** What is known of how items move from the pages at a target to those of the tree. */
export interface KnownMovement {
  readonly build: TreeSize;
  /** The trees that the target's pages may come from. */
  readonly trees: readonly TreeSize[];
  /** By the sort keys of both; undefined where the target has none that can be trusted. */
  readonly movement: Movement | undefined;
  /** Whether pages at the target are not those of the tree that was published there. */
  readonly isDamaged: boolean;
}

/** How many pages later an item may come to stand at most. */
export function shiftOf({ build, trees, movement, isDamaged }: KnownMovement, collection: Collection): number {
  if (isDamaged) return Number.POSITIVE_INFINITY;
  const exact = movement?.[collection].shift;
  // pages that an interrupted run left may come from an older tree than the sort keys
  return exact !== undefined && trees.length === 1 ? Math.max(1, exact) : Math.max(exact ?? 1, shiftByCounts(build, trees, collection));
}

/**
 * The same where nothing but counts is known, in which removed records do not show. New records push old ones by as
 * many as there are. An account is pushed by new accounts, and by those that came to stand before it with their first record.
 */
function shiftByCounts(build: TreeSize, trees: readonly TreeSize[], collection: Collection): number {
  let most = 1;
  for (const tree of trees) {
    const isFeed = collection === 'data';
    if (isFeed ? tree.page_size !== build.page_size : tree.account_page_size !== build.account_page_size) return Number.POSITIVE_INFINITY;
    const records = build.records - tree.records;
    const items = isFeed ? records : records + build.accounts - tree.accounts;
    most = Math.max(most, Math.ceil(items / (isFeed ? build.page_size : build.account_page_size)));
  }
  return most;
}

const NAMES: { readonly [C in Collection]: string } = { data: 'records', account: 'accounts' };

/** Why items come to stand on earlier pages than before, where no order can keep readers from missing them; none where they do not. */
export function gapsOf({ build, trees, movement }: KnownMovement): string[] {
  const gaps = new Set<string>();
  for (const tree of trees) {
    if (build.records < tree.records) gaps.add(`${tree.records - build.records} fewer records, so that others move to earlier pages`);
    if (build.accounts < tree.accounts) gaps.add(`${tree.accounts - build.accounts} fewer accounts, so that others move to earlier pages`);
    if (build.page_size > tree.page_size) gaps.add(`pages hold ${build.page_size} records instead of ${tree.page_size}`);
    if (build.account_page_size > tree.account_page_size) {
      gaps.add(`pages hold ${build.account_page_size} accounts instead of ${tree.account_page_size}`);
    }
  }
  for (const collection of COLLECTIONS) {
    const { forward, firstForward } = movement?.[collection] ?? { forward: 0, firstForward: 0 };
    const what = `${NAMES[collection]} of ${forward === 1 ? 'one page' : `${forward} pages`}`;
    if (forward > 0) gaps.add(`${what} move to earlier pages, the first from page ${firstForward}`);
  }
  return [...gaps];
}
