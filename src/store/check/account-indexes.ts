import { createHash } from 'node:crypto';
import { accountsSinceCheckpoint } from '../accounts/names-since-checkpoint.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';
import { NO_RECORD } from './checksum.ts';

/**
 * Lets SQLite compare the accounts and the former handles with their indexes.
 * @throws Failure bad-store
 */
export function checkNameIndexes(database: Connection): void {
  // the indexes are not in the order of the accounts: with a small cache, each page would be read many times
  database.exec('PRAGMA cache_size = -32768');
  for (const table of ['account', 'former_handle']) {
    const found = database.value(`PRAGMA integrity_check('${table}')`);
    if (found !== 'ok') throw damaged(database.path, String(found));
  }
}

/**
 * The names that the accounts after a place in their order had at the checkpoint, and what a search result shows beside them: the rank as `rankOf`
 * returns it. Lengths make the text unambiguous.
 */
// without the cast, SQLite makes no index of the older names
const NAMES_AFTER = `WITH older AS MATERIALIZED (
    SELECT CAST(value ->> 'id' AS INTEGER) AS number, value ->> 'older_name' AS name, value ->> 'older_records' AS records FROM json_each(?))
  SELECT ifnull(group_concat(iif(older.records = 0, NULL, octet_length(screen_name) || ' ' || octet_length(ifnull(name, listed_name)) || ' ' ||
      ceil(log2(ifnull(older.records, listed_records) + 1) / 2) || ' ' || screen_name || ifnull(name, listed_name)), ''), '') AS text,
    sum(crc32(screen_name || ' ' || listed_records || ' ' || listed_changes || ' ' || listed_name) IS NOT listed_checksum) AS wrong,
    max(place) AS place, max(iif(place = ${NO_RECORD}, screen_name, NULL)) AS last_name
  FROM (SELECT * FROM account INDEXED BY account_order WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?)
    LEFT JOIN older ON number = id
  HAVING count(*) > 0`;
interface NamesAfter {
  readonly text: string;
  /** The number of accounts whose names do not match their checksum. */
  readonly wrong: number;
  readonly place: number;
  /** The last account without records; null if there is none. */
  readonly last_name: string | null;
}

/** The number of accounts that one query reads. Each query reads the older names again. */
const ACCOUNTS_AT_ONCE = 10_000;

/**
 * Returns a digest of all that the search index shows of the accounts, in the order of the account pages. The names are those at the checkpoint.
 * @param records the number of all records
 * @returns the SHA-256 as hexadecimal digits
 * @throws Failure bad-store if names do not match their checksum
 */
export function digestOfNames(database: Connection, records: number): string {
  const hash = createHash('sha256');
  const older = JSON.stringify(accountsSinceCheckpoint(database, records));
  // no two accounts have the same first record
  const keyOf = ({ place, last_name }: NamesAfter) => [older, ...(last_name === null ? [place + 1, ''] : [place, last_name])];
  for (const [names] of database.batches<NamesAfter>(NAMES_AFTER, [older, -1, ''], keyOf, ACCOUNTS_AT_ONCE)) {
    if (names === undefined) continue;
    if (names.wrong > 0) throw damaged(database.path, 'names of accounts that do not match their checksums');
    hash.update(names.text);
  }
  const handles = 'SELECT screen_name, handle FROM former_handle JOIN account ON account.id = account';
  const former = database.prepare(`${handles} ORDER BY screen_name, seen_to, handle COLLATE BINARY`).all();
  return hash.update(JSON.stringify(former)).digest('hex');
}
