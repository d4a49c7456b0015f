import { createHash } from 'node:crypto';
import { changedSummary, encodeSummary, type Summary } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { Connection } from './connection.ts';
import { addRevision, latestRevision, nextRevision } from './revision.ts';

/** Whether all that is derived follows from what the store holds. */
export function isSettled(database: Connection): boolean {
  return (
    database
      .prepare<[], number>('SELECT NOT EXISTS (SELECT 1 FROM account WHERE revision IS NULL) AND EXISTS (SELECT 1 FROM revision)')
      .pluck()
      .get() === 1
  );
}

/**
 * Derives anew, for every account that changed since the last time, its history and digest, and closes the revision that these changes make. Runs in the caller's
 * transaction; does nothing where nothing is stale. Memory holds one account's records at a time.
 * @param recordsChanged whether a record is new or other than it was
 * @param onProgress called with the accounts done so far and those to be done
 */
export function settle(database: Connection, recordsChanged: boolean, onProgress: (done: number, all: number) => void = () => {}): void {
  if (isSettled(database)) return;
  const last = latestRevision(database);
  if (last === undefined) database.exec('UPDATE account SET revision = NULL; DELETE FROM history');
  database.exec('DELETE FROM history WHERE first_record IN (SELECT first_record FROM account WHERE revision IS NULL)');
  const number = nextRevision(database);
  const removed = removeForgotten(database);
  const settled = settleAccounts(database, number, onProgress);
  addRevision(database, {
    number,
    fingerprint: fingerprint(database),
    records: countOf(database, 'record'),
    accounts: countOf(database, 'account'),
    feed: last === undefined || recordsChanged ? number : last.feed,
    ranking: last === undefined || removed > 0 || settled.reordered ? number : last.ranking,
  });
}

/** Accounts that only a record spoke of, which another has since replaced; one that was observed stays. */
function removeForgotten(database: Connection): number {
  const forget = database.prepare(`DELETE FROM account WHERE revision IS NULL AND known_to IS NULL AND observed_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM record WHERE record.account = account.screen_name)`);
  return forget.run().changes;
}

interface StaleAccount {
  readonly id: number;
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
  /** The first record as it is now, and as it was when the account was last settled. */
  readonly first: number | null;
  readonly settled_first: number | null;
  readonly is_new: 0 | 1;
}

interface Gathered {
  readonly records: number;
  readonly newest: number | null;
  /** Their JSON, newest first, with commas between. */
  readonly json: Buffer;
}

const NONE: Gathered = { records: 0, newest: null, json: Buffer.alloc(0) };

function settleAccounts(
  database: Connection,
  number: number,
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
  const gather = database.prepare<[string], Gathered>(`
    SELECT count(*) AS records, max(id) AS newest, CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
    FROM (SELECT id, json FROM record WHERE account = ? ORDER BY id DESC LIMIT -1)`);
  const insert = database.prepare<[number, number, Buffer, string]>(
    'INSERT INTO history (first_record, records, head, tail) VALUES (?, ?, CAST(? AS TEXT), ?)',
  );
  const update = database.prepare<[number | null, number, Buffer, number]>(
    'UPDATE account SET first_record = ?, revision = ?, digest = ? WHERE id = ?',
  );

  const all = Number(database.value('SELECT count(*) FROM temp.stale'));
  let reordered = false;
  for (let row = 1, account = stale.get(row); account !== undefined; row += 1, account = stale.get(row)) {
    const { records, newest, json } = gather.get(account.screen_name) ?? NONE;
    const summary = (newest ?? -1) > (account.known_to ?? -1) ? currentSummary(account, json) : account.summary;
    const [head, tail] = [encodeHead(account.identity, json), encodeTail(summary)];
    if (account.first !== null) insert.run(account.first, records, head, tail);
    update.run(account.first, number, createHash('sha256').update(head).update(tail).digest(), account.id);
    // accounts without records stand by name: a new name may be another place
    reordered ||= account.is_new === 1 || account.first !== account.settled_first || account.first === null;
    onProgress(row, all);
  }
  database.exec('DROP TABLE temp.stale');
  return { reordered };
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
function currentSummary(account: StaleAccount, json: Buffer): string {
  const given: Summary = JSON.parse(account.summary);
  const later = parseRecords(json).filter((record) => record.id > (account.known_to ?? -1));
  return encodeSummary(changedSummary(given, later));
}

/** Records as the store holds them: they were parsed and checked when they came in. */
function parseRecords(json: Buffer): ChangeRecord[] {
  return JSON.parse(`[${json.toString()}]`);
}

function countOf(database: Connection, table: 'record' | 'account'): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}

/** How many digests are read at once. */
const RUN = 1000;

function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  const next = database.prepare<[number, string, number], { place: number; screen_name: string; digest: Buffer }>(`
    SELECT place, screen_name, digest FROM account WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?`);
  for (let run = next.all(-1, '', RUN); run.length > 0; ) {
    for (const account of run) hash.update(account.digest);
    const last = run.at(-1);
    run = last === undefined ? [] : next.all(last.place, last.screen_name, RUN);
  }
  return hash.digest('hex');
}
