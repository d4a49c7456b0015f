import { parentPort, workerData } from 'node:worker_threads';
import type { Collection } from '../contract/pages/collection.ts';
import { collectionPages } from '../pages/collection-pages.ts';
import type { PageSpan } from '../pages/pagination.ts';
import { Store } from '../store/store.ts';
import { type BuildRecord, layoutOf } from '../tree/build-record.ts';
import { Digests } from '../tree/manifest/digests.ts';
import type { Listing } from '../tree/manifest/listing.ts';
import { openTreeFiles } from '../tree/tree-files.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import { MultisetHash } from './pages/multiset-hash.ts';
import { pageReader } from './pages/page-files.ts';
import { SpanCheck, type SpanResult } from './span-check.ts';
import { type Notes, Report } from './violation.ts';

/** The input of a thread that checks pages. All memory is shared with the main thread. */
export interface SpanJob {
  readonly out: string;
  readonly build: BuildRecord;
  readonly listing: Listing;
  /** The store to compare the pages with, and its revision. */
  readonly store: { readonly path: string; readonly revision: number } | undefined;
  /** The filter with the ids of the feed, for all threads. */
  readonly ids: SharedArrayBuffer;
  /** The hashes of the records that this thread read on the pages of the feed and of the accounts. */
  readonly hashes: { readonly [C in Collection]: SharedArrayBuffer };
}

/** What a thread found on a span of pages; undefined if they break a rule. */
export type SpanAnswer = (SpanResult & { readonly notes: Notes }) | undefined;

const { out, build, listing, store, ids, hashes }: SpanJob = workerData;
const opened = store && Store.open(store.path);
const spans = new SpanCheck(
  { build, read: pageReader({ files: openTreeFiles(out), manifest: new Digests(layoutOf(build), listing) }) },
  opened && collectionPages(opened, build),
  { ids: new BloomFilter(ids), hashes: { data: new MultisetHash(hashes.data), account: new MultisetHash(hashes.account) } },
);

parentPort?.on('message', (span: PageSpan) => {
  const report = new Report();
  // an error is not caught: it ends the thread, and the main thread gets it
  const found = spans.check(span, report);
  const { notes, noteCount, notesByRule } = report;
  const isGood = report.violationCount === 0 && opened?.revision.number === store?.revision;
  const answer: SpanAnswer = isGood ? { ...found, notes: { notes, noteCount, notesByRule } } : undefined;
  parentPort?.postMessage(answer);
});
