import { createHash } from 'node:crypto';
import { accountJson, type DescribedAccount, GATHER, type Gathered, NO_RECORDS } from './account-json.ts';
import { accountChecksum } from './account-parts.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged } from './damaged.ts';
import { forgetFeedBlocks, renewFeedBlocks } from './feed-blocks.ts';
import { fingerprint } from './fingerprint.ts';
import { RecordsByAccount } from './records-by-account.ts';
import { addRevision, isCurrent, latestRevision, nextRevision } from './revision.ts';
import { ACCOUNT_ORDER, RANKING_MODULUS, RANKING_TERM } from './schema.ts';

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
  const { reordered } = yield* materializeAccounts(database, number, last === undefined, !isNew);
  database.exec(ACCOUNT_ORDER);
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

/**
 * Deletes accounts that were known only from a record that has since been replaced. An observed account stays, and so does
 * one with former handles.
 */
function removeOrphans(database: Connection): number {
  const remove = database.prepare(`DELETE FROM account WHERE revision IS NULL AND known_to IS NULL AND observed_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM record WHERE record.account = account.screen_name)
    AND NOT EXISTS (SELECT 1 FROM former_handle WHERE former_handle.account = account.id)`);
  return remove.run().changes;
}

interface StaleAccount extends DescribedAccount {
  readonly id: number;
  /** The place among the stale accounts, from 1. */
  readonly row: number;
  /** The present first record, and the first record when the account was last derived. */
  readonly first: number | null;
  readonly derived_first: number | null;
  readonly newest: number | null;
  readonly records: number;
  readonly is_new: 0 | 1;
}

/** The number of rows that one query reads. */
const BATCH_SIZE = 250;

function* materializeAccounts(
  database: Connection,
  number: number,
  areAllStale: boolean,
  isChecked: boolean,
): Generator<MaterializeStep, { readonly reordered: boolean }> {
  // in the order of the account pages, so that histories are stored in the order of their reads
  database.exec(`
    CREATE TEMP TABLE stale AS
      SELECT id, (SELECT min(id) FROM record WHERE record.account = account.screen_name) AS first,
        (SELECT max(id) FROM record WHERE record.account = account.screen_name) AS newest,
        (SELECT count(*) FROM record WHERE record.account = account.screen_name) AS records
      FROM account WHERE revision IS NULL ORDER BY first`);
  const next = database.prepare<[number, number], StaleAccount>(`
    SELECT stale.rowid AS row, account.id, screen_name, identity, summary, known_to, first, first_record AS derived_first,
      newest, records, digest IS NULL AS is_new
    FROM temp.stale CROSS JOIN account USING (id) WHERE stale.rowid > ? ORDER BY stale.rowid LIMIT +?`);
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
  const sorted = areAllStale ? new RecordsByAccount(database) : undefined;
  try {
    for (const _ of sorted?.read() ?? []) yield { done: 0, all };
    for (const account of staleAccounts(next)) {
      const damage = isChecked ? wrong.get(account.screen_name) : undefined;
      if (damage !== undefined) throw damaged(database.path, `record ${damage} of ${account.screen_name} does not match its checksum`);
      const { row, first, newest, records } = account;
      const gathered = sorted === undefined ? gather.get(account.screen_name) : { records, newest, json: sorted.jsonOf(row, records) };
      const { head, tail } = accountJson(database.path, account, gathered ?? NO_RECORDS);
      if (first !== null) insert.run(first, records, head, tail);
      const digest = createHash('sha256').update(head).update(tail).digest();
      update.run(first, number, digest, accountChecksum(head, tail, records), account.id);
      // accounts without records are sorted by name: a new name can change the order
      reordered ||= account.is_new === 1 || first !== account.derived_first || first === null;
      yield { done: row, all };
    }
  } finally {
    sorted?.close();
  }
  database.exec('DROP TABLE temp.stale');
  return { reordered };
}

function* staleAccounts(next: Statement<[number, number], StaleAccount>): Generator<StaleAccount> {
  for (let rows = next.all(0, BATCH_SIZE); rows.length > 0; rows = next.all(rows.at(-1)?.row ?? 0, BATCH_SIZE)) yield* rows;
}

function countOf(database: Connection, table: 'record' | 'account'): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}
