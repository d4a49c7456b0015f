import { checksumOf } from './checksum.ts';
import type { Connection } from './connection.ts';
import { damaged } from './damaged.ts';

/** A state of the store. The same records and accounts have the same fingerprint, however they came. */
export interface Revision {
  readonly number: number;
  /** SHA-256, as hexadecimal digits. */
  readonly fingerprint: string;
  readonly records: number;
  readonly accounts: number;
  /** The number of the revision in which a record last changed. */
  readonly feed: number;
  /** The number of the revision in which accounts, or their order, last changed. */
  readonly ranking: number;
  /** The sum over all accounts by which a changed place, revision or checksum is noticed. */
  readonly ranking_sum: number;
}

interface StoredRevision extends Revision {
  readonly checksum: number;
}

/** @throws Failure bad-store */
export function latestRevision(database: Connection): Revision | undefined {
  return checked(database, database.prepare<[], StoredRevision>('SELECT * FROM revision ORDER BY number DESC LIMIT 1').get());
}

/**
 * The number of the newest revision with a fingerprint.
 * @throws Failure bad-store
 */
export function revisionOf(database: Connection, fingerprint: string): number | undefined {
  const newest = database.prepare<[string], StoredRevision>('SELECT * FROM revision WHERE fingerprint = ? ORDER BY number DESC LIMIT 1');
  return checked(database, newest.get(fingerprint))?.number;
}

function checked(database: Connection, revision: StoredRevision | undefined): Revision | undefined {
  if (revision === undefined || revision.checksum === checksumIn(revision)) return revision;
  throw damaged(database.path, `revision ${revision.number} is not what was written`);
}

function checksumIn({ number, fingerprint, records, accounts, feed, ranking, ranking_sum }: Revision): number {
  return checksumOf([number, fingerprint, records, accounts, feed, ranking, ranking_sum].join(' '));
}

/** The number that the next revision gets. */
export function nextRevision(database: Connection): number {
  return database.prepare<[], number>("SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'revision'), 0) + 1").pluck().get() ?? 1;
}

export function addRevision(database: Connection, revision: Revision): void {
  database
    .prepare<[StoredRevision]>(
      'INSERT INTO revision (number, fingerprint, records, accounts, feed, ranking, ranking_sum, checksum) VALUES (:number, :fingerprint, :records, :accounts, :feed, :ranking, :ranking_sum, :checksum)',
    )
    .run({ ...revision, checksum: checksumIn(revision) });
}
