import { createHash, type Hash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { accountRows } from './accounts/account-rows.ts';
import { checksumOf } from './check/checksum.ts';
import type { Connection } from './database/connection.ts';
import { damaged } from './database/store-error.ts';

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

/** @throws Failure bad-store */
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

/**
 * Returns the SHA-256 over the digests of all accounts in their order, each with its `last_seen` if it has one, followed by all
 * former handles with the stable ids of their accounts, as hexadecimal digits. The order of former handles does not depend on the order of imports.
 */
export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  addAccounts(database, hash);
  addFormerHandles(database, hash);
  return hash.digest('hex');
}

function addAccounts(database: Connection, hash: Hash): void {
  let [place, name] = [-1, ''];
  for (const account of accountRows(database, 'page', ['digest', 'last_seen'])) {
    const isOnward = account.place > place || (account.place === place && account.screen_name !== name);
    if (!isOnward || account.digest === null) throw damaged(database.path, 'accounts out of order');
    hash.update(account.digest);
    if (account.last_seen !== null) hash.update(String(account.last_seen));
    [place, name] = [account.place, account.screen_name];
  }
}

interface FormerHandleRow {
  readonly handle: string;
  readonly seen_to: number;
  readonly screen_name: string;
  readonly stable_id: string | null;
}

function addFormerHandles(database: Connection, hash: Hash): void {
  let left = Number(database.value('SELECT count(*) FROM former_handle'));
  const batches = database.batches<FormerHandleRow>(
    `SELECT handle, seen_to, screen_name, stable_id FROM former_handle JOIN account ON account.id = account
      WHERE (handle, seen_to) >= (?, ?) AND (handle, seen_to, screen_name) > (?, ?, ?) ORDER BY handle, seen_to, screen_name LIMIT +?`,
    ['', -1, '', -1, ''],
    ({ handle, seen_to, screen_name }) => [handle, seen_to, handle, seen_to, screen_name],
  );
  for (const rows of batches) {
    // a damaged index can show rows twice or hide some
    left -= rows.length;
    if (left < 0) break;
    for (const { handle, seen_to, screen_name, stable_id } of rows) hash.update(JSON.stringify([handle, seen_to, screen_name, stable_id]));
  }
  if (left !== 0) throw damaged(database.path, 'former handles out of order, or without their accounts');
}
