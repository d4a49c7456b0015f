import { createHash } from 'node:crypto';
import { changedSummary, encodeSummary, type Summary } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { accountChecksum } from './account-parts.ts';
import type { Connection } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { forgetFeedBlocks, renewFeedBlocks } from './feed-blocks.ts';
import { addRevision, latestRevision, nextRevision } from './revision.ts';
import { RANKING_MODULUS, RANKING_TERM } from './schema.ts';

/** Whether all that is derived follows from what the store holds. */
export function isCurrent(database: Connection): boolean {
  return (
    database
      .prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM revision) AND NOT EXISTS (SELECT 1 FROM account WHERE revision IS NULL)
        AND NOT EXISTS (SELECT 1 FROM feed_block WHERE checksum IS NULL)`)
      .pluck()
      .get() === 1
  );
}

/** Takes what another hand (sqlite3, say) has written for what counts: it has made the store forget its revisions. */
export function acceptOtherHands(database: Connection): void {
  if (nextRevision(database) === 1 || latestRevision(database) !== undefined) return;
  database.exec('UPDATE record SET checksum = crc32(json)');
  forgetFeedBlocks(database);
}

/**
 * Derives anew, for every account that changed since the last time, its history and digest, and closes the revision that these changes make. Runs in the caller's
 * transaction; does nothing where nothing is stale. Memory holds one account's records at a time.
 * @param recordsChanged whether a record is new or other than it was
 * @param onProgress called with the accounts done so far and those to be done
 */
export function materialize(
  database: Connection,
  recordsChanged: boolean,
  onProgress: (done: number, all: number) => void = () => {},
): void {
  if (isCurrent(database)) return;
  const last = latestRevision(database);
  // nothing but this batch has written to a new store
  const isNew = nextRevision(database) === 1;
  if (last === undefined) database.exec('UPDATE account SET revision = NULL; DELETE FROM history');
  renewFeedBlocks(database, !isNew);
  if (last !== undefined && isCurrent(database)) return;
  database.exec('DELETE FROM history WHERE first_record IN (SELECT first_record FROM account WHERE revision IS NULL)');
  const number = nextRevision(database);
  const removed = removeOrphans(database);
  const settled = materializeAccounts(database, number, !isNew, onProgress);
  addRevision(database, {
    number,
    fingerprint: fingerprint(database),
    records: countOf(database, 'record'),
    accounts: countOf(database, 'account'),
    feed: last === undefined || recordsChanged ? number : last.feed,
    ranking: last === undefined || removed > 0 || settled.reordered ? number : last.ranking,
    ranking_sum: Number(
      database.value(`SELECT ifnull(sum(${RANKING_TERM}) % ${RANKING_MODULUS}, 0) FROM account INDEXED BY account_order`),
    ),
  });
}

/** Accounts that only a record spoke of, which another has since replaced; one that was observed stays. */
function removeOrphans(database: Connection): number {
  const forget = database.prepare(`DELETE FROM account WHERE revision IS NULL AND known_to IS NULL AND observed_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM record WHERE record.account = account.screen_name)`);
  return forget.run().changes;
}

/** What a source said of an account. */
interface DescribedAccount {
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

interface StaleAccount extends DescribedAccount {
  readonly id: number;
  /** The first record as it is now, and as it was when the account was last settled. */
  readonly first: number | null;
  readonly settled_first: number | null;
  readonly is_new: 0 | 1;
}

/** An account's records, gathered. */
export interface Gathered {
  readonly records: number;
  readonly newest: number | null;
  /** Their JSON, newest first, with commas between. */
  readonly json: Buffer;
}

/** Gathers the records of the account with a screen name. */
export const GATHER = `
  SELECT count(*) AS records, max(id) AS newest, CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
  FROM (SELECT id, json FROM record WHERE account = ? ORDER BY id DESC LIMIT -1)`;

const NONE: Gathered = { records: 0, newest: null, json: Buffer.alloc(0) };

function materializeAccounts(
  database: Connection,
  number: number,
  isChecked: boolean,
  onProgress: (done: number, all: number) => void,
): { readonly reordered: boolean } {
  // in the order of the account pages, so that histories lie on disk as they will be read
  database.exec(`
    CREATE TEMP TABLE stale AS
      SELECT id, (SELECT min(id) FROM record WHERE record.account = account.screen_name) AS first
      FROM account WHERE revision IS NULL ORDER BY first`);
  const stale = database.prepare<[number], StaleAccount>(`
    SELECT account.id, screen_name, identity, summary, known_to, first, first_record AS settled_first, digest IS NULL AS is_new
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
    if (damage !== undefined) throw damaged(database.path, `record ${damage} of ${account.screen_name} is not what was written`);
    const { records, newest, json } = gather.get(account.screen_name) ?? NONE;
    const { head, tail } = historyOf(database.path, account, newest, json);
    if (account.first !== null) insert.run(account.first, records, head, tail);
    const digest = createHash('sha256').update(head).update(tail).digest();
    update.run(account.first, number, digest, accountChecksum(head, tail, records), account.id);
    // accounts without records stand by name: a new name may be another place
    reordered ||= account.is_new === 1 || account.first !== account.settled_first || account.first === null;
    onProgress(row, all);
  }
  database.exec('DROP TABLE temp.stale');
  return { reordered };
}

/**
 * An account's JSON, before its `data_page_count` and after it.
 * @param newest the id of its newest record
 * @param json its records, newest first, with commas between
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

/** An account's JSON from its opening brace to the end of `data`. */
function encodeHead(identity: string, records: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${identity.slice(0, -1)},"data":[`), records, Buffer.from(']')]);
}

/** An account's JSON from the comma after `data_page_count` to the closing brace. */
function encodeTail(summary: string): string {
  return `,${summary.slice(1)}`;
}

/** A source's word on an account counts up to the newest record that came with it; records after that go on from there. */
function currentSummary(path: string, account: DescribedAccount, json: Buffer): string {
  const given: Summary = storedJson(path, `the profile of ${account.screen_name}`, account.summary);
  const later = parseRecords(path, account.screen_name, json).filter((record) => record.id > (account.known_to ?? -1));
  return encodeSummary(changedSummary(given, later));
}

/** Records as the store holds them: they were parsed and checked when they came in. */
function parseRecords(path: string, screenName: string, json: Buffer): ChangeRecord[] {
  return storedJson(path, `a record of ${screenName}`, `[${json.toString()}]`);
}

function countOf(database: Connection, table: 'record' | 'account'): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}

/** How many digests are read at once. */
const RUN = 1000;

export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  const next = database.prepare<[number, string, number], { place: number; screen_name: string; digest: Buffer | null }>(`
    SELECT place, screen_name, digest FROM account WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?`);
  for (let [place, name, run] = [-1, '', next.all(-1, '', RUN)]; run.length > 0; run = next.all(place, name, RUN)) {
    for (const account of run) {
      const isOnward = account.place > place || (account.place === place && account.screen_name !== name);
      if (!isOnward || account.digest === null) throw damaged(database.path, 'accounts out of their order');
      hash.update(account.digest);
      [place, name] = [account.place, account.screen_name];
    }
  }
  return hash.digest('hex');
}
