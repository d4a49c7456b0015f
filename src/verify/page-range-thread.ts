import { parentPort, workerData } from 'node:worker_threads';
import type { Collection } from '../contract/collection.ts';
import { type Checksum, NOTHING } from '../store/checksum.ts';
import { Store } from '../store/store.ts';
import { type BuildRecord, layoutOf } from '../tree/build-record.ts';
import { Digests } from '../tree/digests.ts';
import { openTreeFiles } from '../tree/tree-files.ts';
import { placeOf, walkAccounts } from './pages/accounts.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import { type RecordPlace, walkFeed } from './pages/feed.ts';
import { MultisetHash } from './pages/multiset-hash.ts';
import { pageFiles } from './pages/page-files.ts';
import { Predecessors, type Unknown } from './pages/predecessors.ts';
import type { PageRange, TreeMetadata } from './pages/tree-pages.ts';
import { StorePages } from './store-pages.ts';
import { type Notes, Report } from './violation.ts';

/** The input of a thread that checks pages. All memory is shared with the main thread. */
export interface PageRangeJob {
  readonly out: string;
  readonly build: BuildRecord;
  /** The SHA-256 of the files. */
  readonly digests: SharedArrayBuffer;
  /** The store to compare the pages with, and its revision. */
  readonly store: { readonly path: string; readonly revision: number } | undefined;
  /** The filter with the ids of the feed, for all threads. */
  readonly ids: SharedArrayBuffer;
  /** The hashes of the records that this thread read on the pages of the feed and of the accounts. */
  readonly hashes: { readonly [C in Collection]: SharedArrayBuffer };
}

/** Consecutive pages of a collection. A thread gets the ranges of accounts in ascending order, after all ranges of the feed. */
export interface CollectionPageRange extends PageRange {
  readonly collection: Collection;
}

/** What a thread found on a range of pages that breaks no rule. */
export interface PageRangeResult {
  readonly notes: Notes;
  /** The id of each record of the feed, or of the first record of each account; infinite for an account without records. */
  readonly ids: Float64Array;
  /** The names of the accounts. */
  readonly names: readonly string[];
  /** The first record of the feed with its page, and the last record. */
  readonly first: (RecordPlace & { readonly path: string }) | undefined;
  readonly last: RecordPlace | undefined;
  /** Records of accounts whose `previous` must be looked up. */
  readonly unknown: readonly Unknown[];
  /** The checksum of the records of the feed in the store. */
  readonly checksum: Checksum;
}

/** Checks ranges of pages. Of a page that breaks a rule it says only that there is one. */
class PageRangeCheck {
  readonly #tree: TreeMetadata;
  readonly #stored: StorePages | undefined;
  readonly #ids: BloomFilter;
  readonly #hashes: { readonly data: MultisetHash; readonly account: MultisetHash };

  /** @throws Failure as Store.open does */
  constructor({ out, build, digests, store, ids, hashes }: PageRangeJob) {
    const manifest = new Digests(layoutOf(build), digests);
    const pages = pageFiles({ files: openTreeFiles(out), build, manifest, digestCause: undefined });
    const opened = store === undefined ? undefined : Store.open(store.path);
    this.#stored = opened === undefined ? undefined : new StorePages(pages, build, opened);
    if (this.#stored !== undefined && opened?.revision.number !== store?.revision) this.#stored.differs = true;
    this.#tree = { build, pages: this.#stored ?? pages };
    this.#ids = new BloomFilter(ids);
    this.#hashes = { data: new MultisetHash(hashes.data), account: new MultisetHash(hashes.account) };
  }

  /**
   * Checks some pages.
   * @returns undefined if they break a rule, or differ from the store
   * @throws Failure bad-store
   */
  check({ collection, ...range }: CollectionPageRange): PageRangeResult | undefined {
    return collection === 'data' ? this.#feed(range) : this.#accounts(range);
  }

  #feed(range: PageRange): PageRangeResult | undefined {
    const [report, found] = [new Report(), [] as number[]];
    let first: PageRangeResult['first'];
    let last: RecordPlace | undefined;
    this.#stored?.begin();
    for (const { record, json, path } of walkFeed(this.#tree, report, { range })) {
      this.#hashes.data.add(record.id, json);
      this.#ids.add(String(record.id));
      found.push(record.id);
      first ??= { ...placeIn(record), path };
      last = record;
    }
    return this.#answer(report, found, { first, last: last && placeIn(last), checksum: this.#stored?.feedChecksum ?? NOTHING });
  }

  #accounts(range: PageRange): PageRangeResult | undefined {
    const [report, found, names] = [new Report(), [] as number[], [] as string[]];
    const predecessors = new Predecessors(this.#ids);
    for (const { account, records } of walkAccounts(this.#tree, report, { range, predecessors })) {
      for (const [index, { id }] of account.data.entries()) this.#hashes.account.add(id, records[index] ?? '');
      const { first, name } = placeOf(account);
      found.push(first);
      names.push(name);
    }
    if (range.to === this.#tree.build.account_pages) this.#stored?.checkAccounts();
    return this.#answer(report, found, { names, unknown: predecessors.unknown });
  }

  #answer(report: Report, ids: readonly number[], rest: Partial<PageRangeResult>): PageRangeResult | undefined {
    if (report.violationCount > 0 || this.#stored?.differs) return undefined;
    const { notes, noteCount, notesByRule } = report;
    return {
      names: [],
      first: undefined,
      last: undefined,
      unknown: [],
      checksum: NOTHING,
      ...rest,
      ids: new Float64Array(ids),
      notes: { notes, noteCount, notesByRule },
    };
  }
}

function placeIn({ id, first_encountered_date }: RecordPlace): RecordPlace {
  return { id, first_encountered_date };
}

const job: PageRangeJob = workerData;
const ranges = new PageRangeCheck(job);

parentPort?.on('message', (range: CollectionPageRange) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  parentPort?.postMessage(ranges.check(range));
});
