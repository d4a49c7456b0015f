import { DELETE_DAMAGED_INTERVALS, IntervalWriter } from '../accounts/change-intervals.ts';
import { deriveLastSeen } from '../accounts/last-seen.ts';
import { NO_RECORD, RANKING_MODULUS, RANKING_TERM } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { DERIVED_INDEXES, PART_RECORDS } from '../database/schema.ts';
import { damaged } from '../database/store-error.ts';
import { forgetFeedBlocks, renewFeedBlocks } from '../feed/feed-blocks.ts';
import { addRevision, fingerprint, isCurrent, latestRevision, nextRevision } from '../revision.ts';
import { historyOf, withPart } from './derived-history.ts';
import { HistoryParts } from './history-parts.ts';
import type { RecordsByAccount } from './records-by-account.ts';
import { eachPart, findStaleParts, type GatheredPart } from './stale-parts.ts';

/** The checksum of observed values of an account that changed: it must be compared with the newest values. */
const STALE_CHECKSUM = 'min(observed_checksum, -1 - observed_checksum)';

/** Accepts data that another program (such as sqlite3) has written. Such a change has deleted the revisions of the store. */
export function acceptExternalChanges(database: Connection): void {
  if (nextRevision(database) === 1 || latestRevision(database) !== undefined) return;
  const lost = database.value(`SELECT id FROM record WHERE json ->> 'account' NOT IN (SELECT screen_name FROM account) LIMIT 1`);
  if (lost !== undefined) throw damaged(database.path, `record ${String(lost)} of an account that is not in the store`);
  database.exec(`UPDATE record SET checksum = crc32(json), account = (SELECT id FROM account WHERE screen_name = json ->> 'account')`);
  database.exec(`UPDATE account SET observed_checksum = ${STALE_CHECKSUM}; ${DELETE_DAMAGED_INTERVALS}`);
  forgetFeedBlocks(database);
  deriveLastSeen(database);
}

/**
 * Deletes the histories of stale accounts, and their parts from the first record that can have changed: the marked blocks show it.
 * Also deletes a part that has become the newest, because `history` has those records.
 */
const DELETE_CHANGED = `
  DELETE FROM history_part WHERE (first_record, number) IN (
    SELECT history_part.first_record, number FROM account CROSS JOIN history_part USING (first_record)
    WHERE revision IS NULL AND number > ifnull((SELECT number FROM history_part AS kept
      WHERE kept.first_record = account.first_record
        AND newest < min((SELECT ifnull(min(first_id), ${NO_RECORD}) FROM feed_block WHERE checksum IS NULL),
          (SELECT ifnull(max(id), 0) FROM record WHERE record.account = account.id))
      ORDER BY number DESC LIMIT 1), -1));
  DELETE FROM history WHERE first_record IN (SELECT first_record FROM account WHERE revision IS NULL)`;

/**
 * Marks the former holders of the handles in a query. Their HTML pages say whether another account has the handle now. The joins begin
 * with the stale accounts, which are few.
 */
const markFormerHolders = (handles: string) => `
  UPDATE account SET revision = NULL WHERE revision IS NOT NULL AND id IN (
    SELECT former.account FROM (${handles}) AS moved CROSS JOIN former_handle AS former ON former.handle = moved.handle)`;
/** For the present handles of stale accounts. A stale account can be new, or about to be removed. */
const MARK_HOLDERS_OF_PRESENT_HANDLES = markFormerHolders('SELECT screen_name AS handle FROM account WHERE revision IS NULL');
/** For the former handles of stale accounts: after a rename, no account may have the handle. */
const MARK_HOLDERS_OF_FORMER_HANDLES = markFormerHolders(
  'SELECT handle FROM account CROSS JOIN former_handle ON former_handle.account = account.id WHERE revision IS NULL',
);

/** The number of derived accounts, and of all accounts to derive. */
export interface MaterializeStep {
  readonly done: number;
  readonly all: number;
}

/**
 * Derives the history and the digest of every account that changed since the last time, and adds a revision. Runs in the
 * transaction of the caller. Does nothing if nothing is stale. Memory holds one part of a history at a time.
 * The caller may pause after each step.
 * @param feedChanged whether a record or a former handle is new or changed
 * @param isRenamed whether an account has another handle, which can change each list by handle
 * @param Sort sorts the records if all accounts are stale; by default the records of each account are searched
 */
export function* materialize(
  database: Connection,
  feedChanged: boolean,
  isRenamed: boolean,
  Sort?: typeof RecordsByAccount,
): Generator<MaterializeStep> {
  if (isCurrent(database)) return;
  const last = latestRevision(database);
  // only this batch has written to a new store
  const isNew = nextRevision(database) === 1;
  if (last === undefined) database.exec('UPDATE account SET revision = NULL; DELETE FROM history; DELETE FROM history_part');
  else {
    database.exec(MARK_HOLDERS_OF_PRESENT_HANDLES);
    if (isRenamed) database.exec(MARK_HOLDERS_OF_FORMER_HANDLES);
    database.exec(DELETE_CHANGED);
  }
  const removed = removeOrphans(database);
  findStaleParts(database);
  const all = Number(database.value('SELECT count(*) FROM temp.stale WHERE is_last'));
  const sorted = last === undefined && Sort !== undefined ? new Sort(database) : undefined;
  const number = nextRevision(database);
  let reordered = false;
  try {
    for (const block of renewFeedBlocks(database, !isNew)) {
      sorted?.add(block);
      yield { done: 0, all };
    }
    if (last !== undefined && removed === 0 && isCurrent(database)) return;
    reordered = yield* materializeAccounts(database, number, all, sorted?.parts() ?? eachPart(database));
  } finally {
    sorted?.close();
    database.exec('DROP TABLE IF EXISTS temp.stale');
  }
  database.exec(DERIVED_INDEXES);
  addRevision(database, {
    number,
    fingerprint: fingerprint(database),
    records: Number(database.value('SELECT sum(records) FROM feed_block')),
    accounts: Number(database.value('SELECT count(*) FROM account')),
    feed: last === undefined || feedChanged ? number : last.feed,
    ranking: last === undefined || removed > 0 || reordered || isRenamed ? number : last.ranking,
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
  const { changes } = database.run(`DELETE FROM account WHERE revision IS NULL AND known_to IS NULL AND observed_to IS NULL
    AND NOT EXISTS (SELECT 1 FROM record WHERE record.account = account.id)
    AND NOT EXISTS (SELECT 1 FROM former_handle WHERE former_handle.account = account.id)`);
  return changes;
}

/** Derives the accounts of `temp.stale`. Returns whether the order of accounts can have changed. */
function* materializeAccounts(
  database: Connection,
  revision: number,
  all: number,
  gathered: Generator<GatheredPart>,
): Generator<MaterializeStep, boolean> {
  const parts = new HistoryParts(database);
  const intervals = new IntervalWriter(database);
  const insert = 'INSERT INTO history (first_record, records, head, tail) VALUES (?, ?, CAST(? AS TEXT), ?)';
  const update = `UPDATE account SET first_record = :first, revision = :revision, digest = :digest, checksum = :checksum,
    listed_name = :listed_name, listed_records = :listed_records, listed_changes = :listed_changes, listed_checksum = :listed_checksum,
    observed_checksum = ${STALE_CHECKSUM} WHERE id = :id`;
  let reordered = false;
  let done = 0;
  for (const { stale, json } of gathered) {
    const { id, first, number, newest, records, screen_name } = stale;
    const older = parts.before(first, number);
    if (older.records !== number * PART_RECORDS) throw damaged(database.path, `a part is missing from the history of ${screen_name}`);
    if (stale.is_last === 0 && first !== null && newest !== null) {
      parts.add([first, number, newest], json, withPart(database.path, screen_name, older, { records, newest, json }));
      yield { done, all };
      continue;
    }
    const change_intervals = intervals.dropUnmatched(stale);
    const { head, tail, ...derived } = historyOf(database.path, { ...stale, change_intervals }, { records, newest, json }, older);
    if (first !== null) database.run(insert, first, older.records + records, head, tail);
    database.run(update, { id, first, revision, ...derived });
    reordered ||= stale.is_new === 1 || first !== stale.derived_first;
    done += 1;
    yield { done, all };
  }
  return reordered;
}
