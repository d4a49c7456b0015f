import { createHash } from 'node:crypto';
import { changedSummary, encodeSummary, type Summary } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { accountChecksum } from './account-parts.ts';
import type { Connection } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { forgetFeedBlocks, renewFeedBlocks } from './feed-blocks.ts';
import { addRevision, latestRevision, nextRevision } from './revision.ts';
import { RANKING_MODULUS, RANKING_TERM } from './schema.ts';

/** Whether all derived data is up to date. */
export function isCurrent(database: Connection): boolean {
  return (
    database
      .prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM revision) AND NOT EXISTS (SELECT 1 FROM account WHERE revision IS NULL)
        AND NOT EXISTS (SELECT 1 FROM feed_block WHERE checksum IS NULL)`)
      .pluck()
      .get() === 1
  );
}

/** Accepts records that another program (such as sqlite3) has written. Such a change has deleted the revisions of the store. */
export function acceptOtherHands(database: Connection): void {
  if (nextRevision(database) === 1 || latestRevision(database) !== undefined) return;
  database.exec('UPDATE record SET checksum = crc32(json)');
  forgetFeedBlocks(database);
}

/** How many accounts are derived, and how many there are to derive; 0 if that is not known yet. */
export interface MaterializeStep {
  readonly done: number;
  readonly all: number;
}

/**
 * Derives the history and the digest of every account that changed since the last time, and adds a revision. Runs in the
 * transaction of the caller. Does nothing if nothing is stale. Memory holds the records of one account at a time.
 * The caller may pause after each step.
 * @param recordsChanged whether a record is new or changed
 */
export function* materialize(database: Connection, recordsChanged: boolean): Generator<MaterializeStep> {
  if (isCurrent(database)) return;
  const last = latestRevision(database);
  // only this batch has written to a new store
  const isNew = nextRevision(database) === 1;
  if (last === undefined) database.exec('UPDATE account SET revision = NULL; DELETE FROM history');
  for (const _ of renewFeedBlocks(database, !isNew)) yield { done: 0, all: 0 };
  if (last !== undefined && isCurrent(database)) return;
  database.exec('DELETE FROM history WHERE first_record IN (SELECT first_record FROM account WHERE revision IS NULL)');
  const number = nextRevision(database);
  const removed = removeOrphans(database);
  const { reordered } = yield* materializeAccounts(database, number, !isNew);
  addRevision(database, {
    number,
    fingerprint: fingerprint(database),
    records: countOf(database, 'record'),
    accounts: countOf(database, 'account'),
    feed: last === undefined || recordsChanged ? number : last.feed,
    ranking: last === undefined || removed > 0 || reordered ? number : last.ranking,
    ranking_sum: Number(
      database.value(`SELECT ifnull(sum(${RANKING_TERM}) % ${RANKING_MODULUS}, 0) FROM account INDEXED BY account_order`),
    ),
  });
}

/** Deletes accounts that were known only from a record that has since been replaced. An observed account stays. */
function removeOrphans(database: Connection): number {
  const remove = database.prepare(`DELETE FROM account WHERE revision IS NULL AND known_to IS NULL AND observed_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM record WHERE record.account = account.screen_name)`);
  return remove.run().changes;
}

/** The data of an account from a source. */
interface DescribedAccount {
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

interface StaleAccount extends DescribedAccount {
  readonly id: number;
  /** The present first record, and the first record when the account was last derived. */
  readonly first: number | null;
  readonly derived_first: number | null;
  readonly is_new: 0 | 1;
}

/** The records of an account. */
export interface Gathered {
  readonly records: number;
  readonly newest: number | null;
  /** The JSON of the records, newest first, separated by commas. */
  readonly json: Buffer;
}

/** The query for the records of the account with a screen name. */
export const GATHER = `
  SELECT count(*) AS records, max(id) AS newest, CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
  FROM (SELECT id, json FROM record WHERE account = ? ORDER BY id DESC LIMIT -1)`;

const NONE: Gathered = { records: 0, newest: null, json: Buffer.alloc(0) };

function* materializeAccounts(
  database: Connection,
  number: number,
  isChecked: boolean,
): Generator<MaterializeStep, { readonly reordered: boolean }> {
  // in the order of the account pages, so that histories are stored in the order of their reads
  database.exec(`
    CREATE TEMP TABLE stale AS
      SELECT id, (SELECT min(id) FROM record WHERE record.account = account.screen_name) AS first
      FROM account WHERE revision IS NULL ORDER BY first`);
  const stale = database.prepare<[number], StaleAccount>(`
    SELECT account.id, screen_name, identity, summary, known_to, first, first_record AS derived_first, digest IS NULL AS is_new
    FROM temp.stale JOIN account USING (id) WHERE stale.rowid = ?`);
  const gather = database.prepare<[string], Gathered>(GATHER);
  const wrong = database
    .prepare<[string], number>('SELECT id FROM record WHERE account = ? AND crc32(json) IS NOT checksum LIMIT 1')
    .pluck();
  const insert = database.prepare<[number, number, Buffer, string]>(
    'INSERT INTO history (first_record, records, head, tail) VALUES (?, ?, CAST(? AS TEXT), ?)',
  );
  const update = database.prepare<[number | null, number, Buffer, number, number]>(
    'UPDATE account SET first_record = ?, revision = ?, digest = ?, checksum = ? WHERE id = ?',
  );

  const all = Number(database.value('SELECT count(*) FROM temp.stale'));
  let reordered = false;
  for (let row = 1, account = stale.get(row); account !== undefined; row += 1, account = stale.get(row)) {
    const damage = isChecked ? wrong.get(account.screen_name) : undefined;
    if (damage !== undefined) throw damaged(database.path, `record ${damage} of ${account.screen_name} does not match its checksum`);
    const { records, newest, json } = gather.get(account.screen_name) ?? NONE;
    const { head, tail } = historyOf(database.path, account, newest, json);
    if (account.first !== null) insert.run(account.first, records, head, tail);
    const digest = createHash('sha256').update(head).update(tail).digest();
    update.run(account.first, number, digest, accountChecksum(head, tail, records), account.id);
    // accounts without records are sorted by name: a new name can change the order
    reordered ||= account.is_new === 1 || account.first !== account.derived_first || account.first === null;
    yield { done: row, all };
  }
  database.exec('DROP TABLE temp.stale');
  return { reordered };
}

/**
 * Returns the JSON of an account, before its `data_page_count` and after it.
 * @param newest the id of the newest record
 * @param json the JSON of the records, newest first, separated by commas
 */
export function historyOf(
  path: string,
  account: DescribedAccount,
  newest: number | null,
  json: Buffer,
): { readonly head: Buffer; readonly tail: string } {
  const summary = (newest ?? -1) > (account.known_to ?? -1) ? currentSummary(path, account, json) : account.summary;
  return { head: encodeHead(account.identity, json), tail: encodeTail(summary) };
}

/** Returns the JSON of an account from its opening brace to the end of `data`. */
function encodeHead(identity: string, records: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${identity.slice(0, -1)},"data":[`), records, Buffer.from(']')]);
}

/** Returns the JSON of an account from the comma after `data_page_count` to the closing brace. */
function encodeTail(summary: string): string {
  return `,${summary.slice(1)}`;
}

/** Returns the current summary: the profile of the source, changed by the records newer than that profile. */
function currentSummary(path: string, account: DescribedAccount, json: Buffer): string {
  const given: Summary = storedJson(path, `the profile of ${account.screen_name}`, account.summary);
  const later = parseRecords(path, account.screen_name, json).filter((record) => record.id > (account.known_to ?? -1));
  return encodeSummary(changedSummary(given, later));
}

/** Parses stored records. Their rules were checked when they were imported. */
function parseRecords(path: string, screenName: string, json: Buffer): ChangeRecord[] {
  return storedJson(path, `a record of ${screenName}`, `[${json.toString()}]`);
}

function countOf(database: Connection, table: 'record' | 'account'): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}

/** The number of digests that one query reads. */
const BATCH_SIZE = 1000;

/** Returns the SHA-256 over the digests of all accounts in their order, as hexadecimal digits. */
export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  const next = database.prepare<[number, string, number], { place: number; screen_name: string; digest: Buffer | null }>(`
    SELECT place, screen_name, digest FROM account WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?`);
  for (let [place, name, rows] = [-1, '', next.all(-1, '', BATCH_SIZE)]; rows.length > 0; rows = next.all(place, name, BATCH_SIZE)) {
    for (const account of rows) {
      const isOnward = account.place > place || (account.place === place && account.screen_name !== name);
      if (!isOnward || account.digest === null) throw damaged(database.path, 'accounts out of order');
      hash.update(account.digest);
      [place, name] = [account.place, account.screen_name];
    }
  }
  return hash.digest('hex');
}
