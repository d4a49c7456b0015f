import { isGenerated } from '../../contract/generated-id.ts';
import type { HandleSpellings } from '../accounts/handle-spellings.ts';
import { damaged } from '../database/store-error.ts';
import type { Batch } from '../writing/batch.ts';

/** What a store has of an account. */
export interface RemovedAccount {
  readonly screen_name: string;
  readonly stable_id: string | null;
  readonly former_handles: readonly string[];
  readonly records: number;
  readonly recordIds: readonly number[];
  /** The ids of the records that a service gave. */
  readonly serviceIds: readonly number[];
  /** Whether the present batch added it: then no revision of the store has it. */
  readonly isNew: boolean;
}

interface AccountRow {
  readonly id: number;
  readonly stable_id: string | null;
  readonly is_new: 0 | 1;
}

interface RecordRow {
  readonly id: number;
  readonly first_encountered_date: string;
  /** Whether the record matches its checksum. */
  readonly is_whole: 0 | 1;
}

const RECORDS = `SELECT id, json ->> 'first_encountered_date' AS first_encountered_date, crc32(json) IS checksum AS is_whole
  FROM record WHERE account = ?`;

/**
 * Deletes an account with everything that a store has of it, except what mirrors remember.
 * @param spellings those of the store
 * @param screenName exactly that of the account
 * @returns undefined if there is none
 * @throws Failure bad-store
 */
export function removeAccount(batch: Batch, spellings: HandleSpellings, screenName: string): RemovedAccount | undefined {
  const { database } = batch;
  const account = database.get<AccountRow>('SELECT id, stable_id, digest IS NULL AS is_new FROM account WHERE screen_name = ?', screenName);
  if (account === undefined) return undefined;
  // an account can have its present handle again
  const select = 'SELECT DISTINCT handle FROM former_handle WHERE account = ? AND handle <> ?';
  const former_handles = database.values<string>(select, account.id, screenName);
  const records = database.prepare<[number], RecordRow>(RECORDS).all(account.id);
  const broken = records.find(({ is_whole }) => is_whole === 0);
  if (broken !== undefined) throw damaged(database.path, `record ${broken.id} of ${screenName} does not match its checksum`);
  for (const { id } of records) batch.deleteRecord(screenName, id);
  database.run('DELETE FROM former_handle WHERE account = ?', account.id);
  // their pages name the removed account
  for (const handle of former_handles) for (const holder of spellings.holders(handle)) batch.markChanged(holder);
  // an account of which nothing is known is deleted when the batch ends
  database.run('UPDATE account SET known_to = NULL, observed_to = NULL, stable_id = NULL WHERE id = ?', account.id);
  batch.markChanged(screenName);
  batch.markObservedChanged();
  batch.clearNameCache();
  const recordIds = records.map(({ id }) => id);
  const serviceIds = records.filter((record) => !isGenerated(record)).map(({ id }) => id);
  const { stable_id, is_new } = account;
  return { screen_name: screenName, stable_id, former_handles, records: records.length, recordIds, serviceIds, isNew: is_new === 1 };
}
