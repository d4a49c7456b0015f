import { Failure } from '../../contract/failure.ts';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import type { TreeSize } from '../state/state.ts';
import type { Comparison, FoundTree } from './tree-comparison.ts';

/** What is known of how items move from the pages at a target to those of the tree. */
interface KnownMovement extends Pick<Comparison, 'build' | 'movement'> {
  readonly found: Pick<FoundTree, 'trees' | 'isDamaged'>;
}

/** Returns the upper limit of how many pages back an item moves. */
export function shiftOf({ build, found: { trees, isDamaged }, movement }: KnownMovement, collection: Collection): number {
  if (isDamaged) return Number.POSITIVE_INFINITY;
  const exact = movement?.[collection].shift;
  // after an interrupted run, pages may come from an older tree than the sort keys
  return exact !== undefined && trees.length === 1 ? Math.max(1, exact) : Math.max(exact ?? 1, shiftByCounts(build, trees, collection));
}

/**
 * Computes the same limit from counts alone, in which removed records are not visible. Each new record moves the old
 * records back by one place. An account moves back for each new account, and for each account that gets its first
 * record and then precedes it.
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

/** Returns the reasons why items move to earlier pages, so that readers may miss them in any order; empty if no item does. */
export function gapsOf({ build, found: { trees }, movement }: KnownMovement): string[] {
  const gaps = new Set<string>();
  for (const tree of trees) {
    if (build.records < tree.records) gaps.add(fewer(tree.records - build.records, 'record'));
    if (build.accounts < tree.accounts) gaps.add(fewer(tree.accounts - build.accounts, 'account'));
    if (build.page_size > tree.page_size) gaps.add(`pages hold ${build.page_size} records instead of ${tree.page_size}`);
    if (build.account_page_size > tree.account_page_size) {
      gaps.add(`pages hold ${build.account_page_size} accounts instead of ${tree.account_page_size}`);
    }
  }
  for (const collection of COLLECTIONS) {
    const moved = movement?.[collection];
    if (moved === undefined || moved.forward === 0) continue;
    const what = `${NAMES[collection]} of ${moved.forward === 1 ? 'one page' : `${moved.forward} pages`}`;
    gaps.add(`${what} move to earlier pages, the first from page ${moved.firstForward}`);
  }
  return [...gaps];
}

function fewer(count: number, noun: string): string {
  return `the tree has ${count} fewer ${noun}${count === 1 ? '' : 's'} than the target, so other ${noun}s move to earlier pages`;
}

/** The refusal of a publish in which items move to earlier pages. */
export function readerGaps(target: string, found: string, place: Failure['place'] = {}): Failure {
  return new Failure(
    'reader-gaps',
    `readers who follow the next links of ${target} would miss records or accounts, whatever the order of the uploads`,
    {
      place,
      expected: 'at least as many records and accounts as before, on pages that are not larger',
      found,
      hint: 'check that the tree is of the newest store; then publish with --allow-gaps if readers may miss some records or accounts once',
    },
  );
}
