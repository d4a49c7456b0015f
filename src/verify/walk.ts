import type { OnProgress, Pauses } from '../contract/pauses.ts';
import { walkAccounts } from './accounts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { noDamages } from './damaged-pages.ts';
import { walkFeed } from './feed.ts';
import { MultisetHash } from './multiset-hash.ts';
import { Predecessors } from './predecessors.ts';
import { secondPass } from './second-pass.ts';
import type { SortKeysCheck } from './sort-keys.ts';
import { StoreComparison } from './store-comparison.ts';
import type { TreeMetadata } from './tree-pages.ts';
import type { Report } from './violation.ts';

/** What the message of a stopped check says. */
export const UNFINISHED = 'the tree was not checked to its end, and nothing was changed';

/**
 * The phases of a check. `manifest` counts lines, `walk` and `again` records and accounts, `browse`, `render` and `files` files,
 * `index` members of a ZIP.
 * The second walk is needed only if the first one left questions open.
 */
export type VerifyPhase = 'manifest' | 'walk' | 'again' | 'browse' | 'render' | 'index' | 'files';

export interface VerifyOptions {
  readonly out: string;
  /** The store to compare the tree with. */
  readonly store?: string | undefined;
  /** The number of threads that check the pages. Without it, no threads are started. */
  readonly threads?: number | undefined;
  /** Stops the check. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<VerifyPhase> | undefined;
}

/**
 * Walks both collections of a tree as a client would, and checks every page, record and account.
 * @param sortKeys compares the items with the sort keys of the tree
 * @returns how many records and accounts there are on the pages
 */
export async function walkTree(
  tree: TreeMetadata,
  report: Report,
  { store, onProgress = () => {} }: VerifyOptions,
  pauses: Pauses,
  sortKeys: SortKeysCheck,
): Promise<{ readonly records: number; readonly accounts: number }> {
  const damaged = noDamages();
  const comparison = store === undefined ? undefined : new StoreComparison(store, tree, damaged, report);
  const [feedHash, accountHash, names] = [new MultisetHash(), new MultisetHash(), new Set<string>()];
  const predecessors = new Predecessors(BloomFilter.for(tree.build.records));
  const all = tree.build.records + tree.build.accounts;
  let [records, accounts] = [0, 0];
  try {
    for (const found of walkFeed(tree, feedHash, damaged.feed, report)) {
      comparison?.record(found);
      predecessors.addId(found.record.id);
      sortKeys.record(found.record.id);
      records += 1;
      if (!pauses.areDue) continue;
      onProgress('walk', records, all);
      await pauses.take();
    }
    const known = BloomFilter.for(tree.build.accounts);
    for (const found of walkAccounts(tree, accountHash, known, predecessors, damaged.accounts, report)) {
      comparison?.account(found);
      sortKeys.account(found.account.screen_name, found.account.data.at(-1)?.id);
      if (found.maybeTwice) names.add(found.account.screen_name);
      accounts += 1;
      if (!pauses.areDue) continue;
      onProgress('walk', records + accounts, all);
      await pauses.take();
    }
    comparison?.end();
  } finally {
    comparison?.close();
  }
  const buckets = feedHash.differences(accountHash);
  if (buckets.length > 0 || names.size > 0 || !predecessors.isEmpty) {
    const step = (done: number) => onProgress('again', done, all);
    await secondPass(tree, { buckets, names, predecessors, damaged }, report, pauses, step);
  }
  return { records, accounts };
}
