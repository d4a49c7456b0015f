import type { OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import type { Collection } from '../contract/pages/collection.ts';
import type { PageSpan, ReadSpan } from '../pages/pagination.ts';
import { type AccountPlace, checkOrder, comparePlaces } from './pages/account-check.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import { type Damaged, DamagedPages } from './pages/damaged-pages.ts';
import { checkPlace, type RecordPlace } from './pages/feed-check.ts';
import { MultisetHash } from './pages/multiset-hash.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import { UnknownPrevious } from './pages/unknown-previous.ts';
import { secondPass } from './second-pass.ts';
import type { SortKeysCheck } from './sort-keys-check.ts';
import type { FoundItems, SpanResult } from './span-check.ts';
import type { Report } from './violation.ts';

/** What the message of a stopped check says. */
export const UNFINISHED = 'the tree was not checked to its end, and nothing was changed';

/**
 * The phases of a check. `manifest` counts lines, `walk` and `again` records and accounts, `browse`, `render` and `files` files,
 * `index` members of a ZIP.
 * The second walk is needed only if the first one left questions open.
 */
export type VerifyPhase = 'manifest' | 'walk' | 'again' | 'browse' | 'render' | 'index' | 'files';

/** Merges what was found on the spans of pages, in order, and checks what a single span does not show. */
export class CrossSpanCheck {
  records = 0;
  accounts = 0;
  /** Checksums of what the store has for each span. */
  readonly read: { readonly [C in Collection]: ReadSpan[] } = { data: [], account: [] };
  readonly items: FoundItems;
  readonly damaged: Damaged = { feed: new DamagedPages((a, b) => b - a), accounts: new DamagedPages(comparePlaces) };
  readonly #tree: TreeMetadata;
  /** Compares the items with the sort keys of the tree. */
  readonly #sortKeys: SortKeysCheck;
  readonly #unknownPrevious: UnknownPrevious;
  /** Names that may belong to two accounts. */
  readonly #names = new Set<string>();
  readonly #known: BloomFilter;
  readonly #onProgress: OnProgress<VerifyPhase>;
  #record: RecordPlace | undefined;
  #account: AccountPlace | undefined;

  /** @param ids the filter for the ids of the feed: threads can fill it */
  constructor(tree: TreeMetadata, sortKeys: SortKeysCheck, onProgress: OnProgress<VerifyPhase>, ids: BloomFilter) {
    this.#tree = tree;
    this.#sortKeys = sortKeys;
    this.items = { ids, hashes: { data: new MultisetHash(), account: new MultisetHash() } };
    this.#unknownPrevious = new UnknownPrevious(ids);
    this.#known = BloomFilter.for(tree.build.accounts);
    this.#onProgress = onProgress;
  }

  /** Adds what was found on the next span. */
  add({ collection }: PageSpan, found: SpanResult, report: Report): void {
    if (collection === 'data') this.#addRecords(found, report);
    else this.#addAccounts(found, report);
    this.read[collection].push(found.read);
    this.#onProgress('walk', this.records + this.accounts, this.#all);
  }

  #addRecords({ ids, path, first, last }: SpanResult, report: Report): void {
    for (const id of ids) this.#sortKeys.record(id);
    this.records += ids.length;
    if (first !== undefined && this.#record !== undefined) checkPlace(first, this.#record, path, report);
    this.#record = last ?? this.#record;
  }

  #addAccounts({ ids, names, path, unknown }: SpanResult, report: Report): void {
    for (const [index, name] of names.entries()) {
      const first = ids[index] ?? 0;
      // the span has compared the others
      if (index === 0) checkOrder({ first, name }, this.#account, path, report);
      this.#account = { first, name };
      this.#sortKeys.account(name, Number.isFinite(first) ? first : undefined);
      if (this.#known.add(name)) this.#names.add(name);
    }
    this.accounts += names.length;
    for (const one of unknown) this.#unknownPrevious.add(one.record, one.path, report);
  }

  /** Ends the walk. Walks the tree again if questions are open. */
  async end(report: Report, pauses: Pauses): Promise<void> {
    const { data, account } = this.items.hashes;
    const buckets = data.differences(account);
    if (buckets.length === 0 && this.#names.size === 0 && this.#unknownPrevious.isEmpty) return;
    const unresolved = { buckets, names: this.#names, unknownPrevious: this.#unknownPrevious, damaged: this.damaged };
    await secondPass(this.#tree, unresolved, report, pauses, (done) => this.#onProgress('again', done, this.#all));
  }

  /** Reports wrong sort keys. Call it after all other checks, because other violations can cause them. */
  endSortKeys(): void {
    this.#sortKeys.end();
  }

  get #all(): number {
    return this.#tree.build.records + this.#tree.build.accounts;
  }
}
