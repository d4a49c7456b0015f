import type { Collection } from '../contract/pages/collection.ts';
import type { OnProgress, Pauses } from '../contract/pauses.ts';
import { type AccountPlace, comparePlaces, recordsIn, walkAccounts } from './pages/accounts.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import { type Damaged, DamagedPages } from './pages/damaged-pages.ts';
import { walkFeed } from './pages/feed.ts';
import { MultisetHash } from './pages/multiset-hash.ts';
import { Predecessors } from './pages/predecessors.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import { secondPass } from './second-pass.ts';
import type { SortKeysCheck } from './sort-keys-check.ts';
import { StoreComparison } from './store-comparison.ts';
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

/** What a walk through both collections found, in the order of the pages. */
export class Walk {
  records = 0;
  accounts = 0;
  readonly tree: TreeMetadata;
  /** Compares the items with the sort keys of the tree. */
  readonly sortKeys: SortKeysCheck;
  readonly hashes: { readonly [C in Collection]: MultisetHash } = { data: new MultisetHash(), account: new MultisetHash() };
  readonly damaged: Damaged = { feed: new DamagedPages((a, b) => b - a), accounts: new DamagedPages(comparePlaces) };
  readonly predecessors: Predecessors;
  /** Names that may belong to two accounts. */
  readonly #names = new Set<string>();
  readonly #known: BloomFilter;
  readonly #onProgress: OnProgress<VerifyPhase>;

  /** @param ids the filter for the ids of the feed: threads can fill it */
  constructor(
    tree: TreeMetadata,
    sortKeys: SortKeysCheck,
    onProgress: OnProgress<VerifyPhase>,
    ids: BloomFilter = BloomFilter.for(tree.build.records),
  ) {
    this.tree = tree;
    this.sortKeys = sortKeys;
    this.predecessors = new Predecessors(ids);
    this.#known = BloomFilter.for(tree.build.accounts);
    this.#onProgress = onProgress;
  }

  record(id: number): void {
    this.sortKeys.record(id);
    this.records += 1;
  }

  account({ first, name }: AccountPlace): void {
    this.sortKeys.account(name, Number.isFinite(first) ? first : undefined);
    if (this.#known.add(name)) this.#names.add(name);
    this.accounts += 1;
  }

  progress(): void {
    this.#onProgress('walk', this.records + this.accounts, this.#items);
  }

  /** Walks the tree again if questions are open. */
  async end(report: Report, pauses: Pauses): Promise<void> {
    const buckets = this.hashes.data.differences(this.hashes.account);
    if (buckets.length === 0 && this.#names.size === 0 && this.predecessors.isEmpty) return;
    const unresolved = { buckets, names: this.#names, predecessors: this.predecessors, damaged: this.damaged };
    await secondPass(this.tree, unresolved, report, pauses, (done) => this.#onProgress('again', done, this.#items));
  }

  get #items(): number {
    return this.tree.build.records + this.tree.build.accounts;
  }
}

/**
 * Walks both collections of a tree as a client would, and checks every page, record and account.
 * @param store the store to compare the tree with
 */
export async function walkTree(walk: Walk, store: string | undefined, report: Report, pauses: Pauses): Promise<Walk> {
  const { tree, hashes, damaged, predecessors } = walk;
  const comparison = store === undefined ? undefined : new StoreComparison(store, tree, damaged, report);
  try {
    for (const found of walkFeed(tree, report, { damaged })) {
      comparison?.record(found);
      predecessors.addId(found.record.id);
      hashes.data.add(found.record.id, found.json);
      walk.record(found.record.id);
      if (pauses.areDue) await pauses.take(() => walk.progress());
    }
    for (const found of walkAccounts(tree, report, { damaged, predecessors })) {
      comparison?.account(found);
      for (const { record, json } of recordsIn(found.runs)) hashes.account.add(record.id, json);
      walk.account(found.place);
      if (pauses.areDue) await pauses.take(() => walk.progress());
    }
    comparison?.end();
  } finally {
    comparison?.close();
  }
  await walk.end(report, pauses);
  return walk;
}
