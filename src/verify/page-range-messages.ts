import type { Collection } from '../contract/collection.ts';
import type { Checksum } from '../store/checksum.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { RecordPlace } from './feed.ts';
import type { Unknown } from './predecessors.ts';
import type { PageRange } from './tree-pages.ts';
import type { Notes } from './violation.ts';

/** The input of a thread that checks pages. All memory is shared with the main thread. */
export interface PageRangeJob {
  readonly out: string;
  readonly build: BuildRecord;
  /** The SHA-256 of the files, by collection. */
  readonly digests: { readonly [C in Collection]: SharedArrayBuffer };
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
