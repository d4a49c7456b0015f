import { Failure } from '../../contract/failure.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';
import { checksumOf } from './checksum.ts';

/** A state of the store. The same records and accounts have the same fingerprint, in whatever order they were imported. */
export interface Revision {
  readonly number: number;
  /** SHA-256, as hexadecimal digits. */
  readonly fingerprint: string;
  readonly records: number;
  readonly accounts: number;
  /** The number of the last revision that changed a record or the former handles of an account. */
  readonly feed: number;
  /** The number of the last revision that changed the set or the order of accounts. */
  readonly ranking: number;
  /** The sum over all accounts. It detects a changed place, revision or checksum. */
  readonly ranking_sum: number;
}

/** Whether all derived data is up to date. */
export function isCurrent(database: Connection): boolean {
  const query = `SELECT EXISTS (SELECT 1 FROM revision) AND NOT EXISTS (SELECT 1 FROM account WHERE revision IS NULL)
    AND NOT EXISTS (SELECT 1 FROM feed_block WHERE checksum IS NULL)`;
  return database.value(query) === 1;
}

interface StoredRevision extends Revision {
  readonly checksum: number;
}

/**
 * Returns the newest revision, or undefined if the store has none.
 * @throws Failure bad-store
 */
export function latestRevision(database: Connection): Revision | undefined {
  return checked(database, database.get('SELECT * FROM revision ORDER BY number DESC LIMIT 1'));
}

/**
 * Returns the number of the newest revision with a fingerprint, or undefined if there is none.
 * @throws Failure bad-store
 */
export function revisionOf(database: Connection, fingerprint: string): number | undefined {
  const query = 'SELECT * FROM revision WHERE fingerprint = ? ORDER BY number DESC LIMIT 1';
  return checked(database, database.get(query, fingerprint))?.number;
}

function checked(database: Connection, revision: StoredRevision | undefined): Revision | undefined {
  if (revision === undefined || revision.checksum === checksumIn(revision)) return revision;
  throw damaged(database.path, `revision ${revision.number} does not match its checksum`);
}

function checksumIn({ number, fingerprint, records, accounts, feed, ranking, ranking_sum }: Revision): number {
  return checksumOf([number, fingerprint, records, accounts, feed, ranking, ranking_sum].join(' '));
}

/** Returns the number of the next revision. */
export function nextRevision(database: Connection): number {
  return database.value<number>("SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'revision'), 0) + 1") ?? 1;
}

export function addRevision(database: Connection, revision: Revision): void {
  database.run(
    'INSERT INTO revision (number, fingerprint, records, accounts, feed, ranking, ranking_sum, checksum) VALUES (:number, :fingerprint, :records, :accounts, :feed, :ranking, :ranking_sum, :checksum)',
    { ...revision, checksum: checksumIn(revision) },
  );
}

/** Whether no run has finished that writes to the store: it has no revision, and never had one. */
export function isNeverFilled(database: Connection): boolean {
  return nextRevision(database) === 1 && database.value('SELECT EXISTS (SELECT 1 FROM record) OR EXISTS (SELECT 1 FROM account)') === 0;
}

export function neverFilled(path: string): Failure {
  return new Failure('no-store', `nothing has been imported into ${path}`, {
    place: { file: path },
    expected: 'a store that a run has filled',
    found: 'a store whose first run did not finish',
    hint: 'run the same import, observe or mirror again, or name another store with --store',
  });
}
