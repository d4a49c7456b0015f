import type { Connection } from './connection.ts';

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
}

export function latestRevision(database: Connection): Revision | undefined {
  return database.prepare<[], Revision>('SELECT * FROM revision ORDER BY number DESC LIMIT 1').get();
}

export function revisionOf(database: Connection, fingerprint: string): number | undefined {
  return database.prepare<[string], number>('SELECT max(number) FROM revision WHERE fingerprint = ?').pluck().get(fingerprint) ?? undefined;
}

/** The number that the next revision gets. */
export function nextRevision(database: Connection): number {
  return database.prepare<[], number>("SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'revision'), 0) + 1").pluck().get() ?? 1;
}

export function addRevision(database: Connection, revision: Revision): void {
  database
    .prepare<[Revision]>(
      'INSERT INTO revision (number, fingerprint, records, accounts, feed, ranking) VALUES (:number, :fingerprint, :records, :accounts, :feed, :ranking)',
    )
    .run(revision);
}
