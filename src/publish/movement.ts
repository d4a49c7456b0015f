import type { Collection } from '../contract/collection.ts';
import type { TreeSize } from './state.ts';

/**
 * How many pages later an item may come to stand at most. New records push old ones by as many as there are.
 * An account is pushed by new accounts, and by those that came to stand before it with their first record.
 */
export function shiftOf(build: TreeSize, trees: readonly TreeSize[], collection: Collection): number {
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

/** Why items come to stand on earlier pages than before, where no order can keep readers from missing them; none where they do not. */
export function gapsOf(build: TreeSize, trees: readonly TreeSize[]): string[] {
  const gaps = new Set<string>();
  for (const tree of trees) {
    if (build.records < tree.records) gaps.add(`${tree.records - build.records} fewer records, so that others move to earlier pages`);
    if (build.accounts < tree.accounts) gaps.add(`${tree.accounts - build.accounts} fewer accounts, so that others move to earlier pages`);
    if (build.page_size > tree.page_size) gaps.add(`pages hold ${build.page_size} records instead of ${tree.page_size}`);
    if (build.account_page_size > tree.account_page_size) {
      gaps.add(`pages hold ${build.account_page_size} accounts instead of ${tree.account_page_size}`);
    }
  }
  return [...gaps];
}
