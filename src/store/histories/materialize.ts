import { fingerprint } from '../check/fingerprint.ts';
import { addRevision, isCurrent, latestRevision, nextRevision } from '../check/revision.ts';
import type { Connection } from '../database/connection.ts';
import { ACCOUNT_ORDER, RANKING_MODULUS, RANKING_TERM } from '../database/schema.ts';
import { forgetFeedBlocks, renewFeedBlocks } from '../feed/feed-blocks.ts';
import { type DeriveStep, eachHistory } from './derived-histories.ts';

/** Accepts records that another program (such as sqlite3) has written. Such a change has deleted the revisions of the store. */
export function acceptExternalChanges(database: Connection): void {
  if (nextRevision(database) === 1 || latestRevision(database) !== undefined) return;
  database.exec('UPDATE record SET checksum = crc32(json)');
  forgetFeedBlocks(database);
}

/** The number of derived accounts, and of all accounts to derive; 0 if that is not known yet. */
export interface MaterializeStep {
  readonly done: number;
  readonly all: number;
  /** The caller must wait for it, if it is set. */
  readonly ready?: Promise<unknown> | undefined;
}

/**
 * Derives the history and the digest of every account that changed since the last time, and adds a revision. Runs in the
 * transaction of the caller. Does nothing if nothing is stale. Memory holds the records of one account at a time.
 * The caller may pause after each step.
 * @param recordsChanged whether a record is new or changed
 * @param all derives the histories if all accounts are stale
 */
export function* materialize(
  database: Connection,
  recordsChanged: boolean,
  all: (database: Connection) => Generator<DeriveStep> = eachHistory,
): Generator<MaterializeStep> {
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
  const { reordered } = yield* materializeAccounts(database, number, last === undefined ? all : eachHistory);
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

function* materializeAccounts(
  database: Connection,
  number: number,
  histories: (database: Connection) => Generator<DeriveStep>,
): Generator<MaterializeStep, { readonly reordered: boolean }> {
  // in the order of the account pages, so that histories are stored in the order of their reads
  database.exec(`
    CREATE TEMP TABLE stale AS
      SELECT id, (SELECT min(id) FROM record WHERE record.account = account.screen_name) AS first,
        (SELECT max(id) FROM record WHERE record.account = account.screen_name) AS newest,
        (SELECT count(*) FROM record WHERE record.account = account.screen_name) AS records
      FROM account WHERE revision IS NULL ORDER BY first`);
  const insert = database.prepare<[number, number, Buffer, string]>(
    'INSERT INTO history (first_record, records, head, tail) VALUES (?, ?, CAST(? AS TEXT), ?)',
  );
  const update = database.prepare<[number | null, number, Buffer, number, number]>(
    'UPDATE account SET first_record = ?, revision = ?, digest = ?, checksum = ? WHERE id = ?',
  );
  const all = Number(database.value('SELECT count(*) FROM temp.stale'));
  let reordered = false;
  let done = 0;
  for (const { derived, ready } of histories(database)) {
    if (derived === undefined) {
      yield { done, all, ready };
      continue;
    }
    const { id, first, derived_first, is_new, records } = derived.account;
    const { head, tail, digest, checksum } = derived.history;
    if (first !== null) insert.run(first, records, head, tail);
    update.run(first, number, digest, checksum, id);
    // accounts without records are sorted by name: a new name can change the order
    reordered ||= is_new === 1 || first !== derived_first || first === null;
    done += 1;
    yield { done, all };
  }
  database.exec('DROP TABLE temp.stale');
  return { reordered };
}

function countOf(database: Connection, table: 'record' | 'account'): number {
  return database.prepareValue<[], number>(`SELECT count(*) FROM ${table}`).get() ?? 0;
}
