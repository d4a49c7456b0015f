import { parentPort, workerData } from 'node:worker_threads';
import type { Collection } from '../contract/pages/collection.ts';
import { collectionPages } from '../pages/collection-pages.ts';
import type { Page, PageSpan, Pages, ReadSpan } from '../pages/pagination.ts';
import { Store } from '../store/store.ts';
import { type BuildRecord, layoutOf } from '../tree/build-record.ts';
import { Digests } from '../tree/manifest/digests.ts';
import { openTreeFiles } from '../tree/tree-files.ts';
import { recordsIn, walkAccounts } from './pages/accounts.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import { type RecordPlace, walkFeed } from './pages/feed.ts';
import { MultisetHash } from './pages/multiset-hash.ts';
import { pageReader } from './pages/page-files.ts';
import { Predecessors, type Unknown } from './pages/predecessors.ts';
import type { PageContent, TreeMetadata } from './pages/tree-pages.ts';
import { type Notes, Report } from './violation.ts';

/** The input of a thread that checks pages. All memory is shared with the main thread. */
export interface SpanJob {
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

/** What a thread found on a span of pages that breaks no rule. */
export interface SpanResult {
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
  /** Checksums of what the store has for the span. */
  readonly read: ReadSpan;
}

/** Checks spans of pages. Of a page that breaks a rule it says only that there is one. */
class SpanCheck {
  readonly #tree: TreeMetadata;
  /** The pages that a build would render from the store. */
  readonly #stored: { readonly [C in Collection]: Pages } | undefined;
  /** Those of the span. */
  #walk: Generator<Page, ReadSpan> | undefined;
  /** Whether a page differs from the store, or cannot be read. */
  #differs = false;
  readonly #ids: BloomFilter;
  readonly #hashes: { readonly [C in Collection]: MultisetHash };

  /** @throws Failure as Store.open does */
  constructor({ out, build, digests, store, ids, hashes }: SpanJob) {
    const manifest = new Digests(layoutOf(build), digests);
    const read = pageReader({ files: openTreeFiles(out), manifest });
    this.#tree = { build, read: (...page) => this.#compared(read(...page)) };
    const opened = store && Store.open(store.path);
    this.#stored = opened && collectionPages(opened, build);
    this.#differs = opened?.revision.number !== store?.revision;
    this.#ids = new BloomFilter(ids);
    this.#hashes = { data: new MultisetHash(hashes.data), account: new MultisetHash(hashes.account) };
  }

  /**
   * Checks the pages of a span.
   * @returns undefined if they break a rule, or differ from the store
   * @throws Failure bad-store
   */
  check(span: PageSpan): SpanResult | undefined {
    const [report, ids, names] = [new Report(), [] as number[], [] as string[]];
    const predecessors = new Predecessors(this.#ids);
    let first: SpanResult['first'];
    let last: RecordPlace | undefined;
    this.#walk = this.#stored?.[span.collection].walk(span);
    if (span.collection === 'data') {
      for (const { record, json, path } of walkFeed(this.#tree, report, { range: span })) {
        this.#hashes.data.add(record.id, json);
        predecessors.addId(record.id);
        ids.push(record.id);
        last = { id: record.id, first_encountered_date: record.first_encountered_date };
        first ??= { ...last, path };
      }
    } else {
      for (const { place, runs } of walkAccounts(this.#tree, report, { range: span, predecessors })) {
        for (const { record, json } of recordsIn(runs)) this.#hashes.account.add(record.id, json);
        ids.push(place.first);
        names.push(place.name);
      }
    }
    const end: IteratorResult<Page, ReadSpan> = this.#walk?.next() ?? { done: true, value: [0, 0] };
    if (report.violationCount > 0 || this.#differs || !end.done) return undefined;
    const { notes, noteCount, notesByRule } = report;
    const { unknown } = predecessors;
    return { ids: new Float64Array(ids), names, first, last, unknown, read: end.value, notes: { notes, noteCount, notesByRule } };
  }

  /** Compares a page of the tree with the page that a build would render from the store. */
  #compared(content: PageContent | undefined): PageContent | undefined {
    if (this.#walk === undefined) return content;
    const stored = this.#walk.next();
    if (content === undefined || stored.done || !consistsOf(content, stored.value.render())) this.#differs = true;
    return content;
  }
}

/** Whether a page consists of these pieces. Memory has one piece at a time, because a page has all records of an account. */
function consistsOf({ size, read }: PageContent, pieces: Iterable<Buffer>): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (at + piece.length > size || !piece.equals(read(at, at + piece.length))) return false;
    at += piece.length;
  }
  return at === size;
}

const job: SpanJob = workerData;
const spans = new SpanCheck(job);

parentPort?.on('message', (span: PageSpan) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  parentPort?.postMessage(spans.check(span));
});
