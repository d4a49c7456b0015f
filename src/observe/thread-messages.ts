import type { Network } from '../diff/diff-html.ts';
import type { ObserveContext } from '../sources/snapshot-reader.ts';
import type { RowOfInput } from './profile-pool.ts';

/** The input of a thread. */
export interface ThreadJob {
  /** The number and the open file of its string pool. */
  readonly pool: { readonly number: number; readonly descriptor: number };
  readonly context: Pick<ObserveContext, 'from' | 'observedAt' | 'unescape'>;
  readonly network: Network;
  /** The store with accounts of earlier runs; undefined if there is none. */
  readonly store: string | undefined;
}

/** The texts of some JSON values of one input, as columns. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly texts: readonly string[];
  readonly lines: readonly number[];
  readonly paths: readonly string[];
}

/** Folds rows of a partition. All pools must be flushed. */
export interface FoldRequest {
  readonly kind: 'fold';
  readonly descriptors: readonly number[];
  readonly rows: Float64Array;
  /** The share of the accounts whose changes are computed, from 0 to 1. The merge computes the changes of the others. */
  readonly share: number;
}

/** Writes what the string pool has buffered. */
export interface FlushRequest {
  readonly kind: 'flush';
}

export type ThreadRequest = ReadRequest | FoldRequest | FlushRequest;

/** What a thread read: the observations in order. Their texts are in the pool of the thread. */
export interface ReadAnswer {
  /**
   * The number of observations in each value; -1 if the value has an error, and the main thread must read it. Undefined if no value has
   * an error.
   */
  readonly counts: readonly number[] | undefined;
  /** For each observation: its time, the places of its profile and its archived copy, its account and its line. */
  readonly rows: Float64Array;
}

/** How many numbers of {@link ReadAnswer.rows} belong to an observation. */
export const READ_COLUMNS = 5;

/** Writes the row of an observation into the rows of an answer. */
export function writeRow({ instant, profile, archive, account, line }: RowOfInput, rows: Float64Array, index: number): void {
  const at = index * READ_COLUMNS;
  rows[at] = instant;
  rows[at + 1] = profile;
  rows[at + 2] = archive;
  rows[at + 3] = account;
  rows[at + 4] = line;
}

/** Returns the row of an observation in an answer. */
export function rowAt(rows: Float64Array, index: number): RowOfInput {
  const at = index * READ_COLUMNS;
  return {
    instant: rows[at] ?? 0,
    profile: rows[at + 1] ?? 0,
    archive: rows[at + 2] ?? 0,
    account: rows[at + 3] ?? 0,
    line: rows[at + 4] ?? 0,
  };
}
