import { existsSync, renameSync } from 'node:fs';
import { type OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { Failure } from '../../contract/failure.ts';
import { parseRecord } from '../../contract/record.ts';
import type { DaySpan } from '../../contract/snapshots/snapshot-days.ts';
import { AccountReader } from '../accounts/account-reader.ts';
import { type AccountRow, accountRows, STATE_COLUMNS } from '../accounts/account-rows.ts';
import { AccountStateWriter } from '../accounts/account-state-writer.ts';
import { DELETE_DAMAGED_INTERVALS } from '../accounts/change-intervals.ts';
import { type Connection, removeDatabase, type Statement } from '../database/connection.ts';
import { openStore } from '../database/open-store.ts';
import { damaged, storedJson, toFailure, wrapErrors } from '../database/store-error.ts';
import { Exclusions } from '../exclusions/exclusions.ts';
import { records } from '../feed/records.ts';
import { addSnapshotDays, storedSnapshotDays } from '../snapshot-days.ts';
import { Batch, type CommitPhase } from '../writing/batch.ts';
import { ItemWriter } from '../writing/item-writer.ts';

/** How many rows are copied between two progress reports. */
const REPORT_EVERY = 500;

const ITEM_TABLES = ['account', 'record', 'former_handle', 'exclusion', 'exclusion_key', 'exclusion_record'];
/** The tables with the state of mirrors, and the columns of their keys. */
const MIRROR_TABLES = {
  mirror: ['id'],
  mirror_item: ['mirror', 'collection', 'key'],
  mirror_gone: ['mirror', 'collection', 'key'],
  mirror_rejected: ['mirror', 'version'],
  incomplete_mirror: ['base_url'],
} as const;

/** The phases of a repair. `copy` counts records and accounts. */
export type RepairPhase = 'copy' | CommitPhase;

/**
 * Writes a new store from the data that cannot be derived: the records, accounts, former handles, exclusions and
 * the state of mirrors. The damaged file is kept beside it, as `.damaged`. Nothing changes if a record or an account is damaged.
 * @returns the path of the damaged file
 * @throws Failure bad-store, store-busy, stopped, file-system
 */
export async function repairStore(
  path: string,
  { signal, onProgress = () => {} }: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress<RepairPhase> } = {},
): Promise<string> {
  const pauses = new Pauses(signal, 'the store was not repaired, and nothing was changed');
  const [draft, kept] = [`${path}.repair`, `${path}.damaged`];
  if (existsSync(kept)) {
    throw new Failure('file-system', `${kept} already exists`, {
      place: { file: kept },
      expected: 'no file, because the damaged store is kept under that name',
      found: 'a file',
      hint: 'move the file away, then run the command again',
    });
  }
  const damagedStore = openStore(path, 'write');
  try {
    wrapErrors(path, () => damagedStore.exec('BEGIN IMMEDIATE'));
    removeDatabase(draft);
    await copy(damagedStore, draft, pauses, onProgress);
  } catch (error) {
    removeDatabase(draft);
    throw toFailure(path, error);
  } finally {
    damagedStore.close();
  }
  wrapErrors(path, () => {
    renameSync(path, kept);
    for (const side of ['-wal', '-shm']) if (existsSync(path + side)) renameSync(path + side, kept + side);
    renameSync(draft, path);
  });
  return kept;
}

async function copy(from: Connection, draft: string, pauses: Pauses, onProgress: OnProgress<RepairPhase>): Promise<void> {
  const all = Number(from.value('SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM record)'));
  let copied = 0;
  const pause = async () => {
    copied += 1;
    if (copied < all && copied % REPORT_EVERY !== 0) return;
    onProgress('copy', copied, all);
    if (pauses.areDue) await pauses.take();
  };
  const batch = new Batch(draft, 'by id');
  try {
    // the exclusions last, so that they exclude no account of the damaged store
    await copyAccounts(from, new AccountStateWriter(batch, 'fail'), pause);
    // a store can have records with the former handle of an account that has the record before
    await copyRecords(from, new ItemWriter(batch, 'keep'), pause);
    copyExclusions(from, batch);
    addSnapshotDays(batch.database, undamagedDays(from));
    copyMirrors(from, batch.database);
    await batch.commit(pauses, onProgress);
    compareAccounts(from, batch.database);
  } finally {
    batch.end();
  }
}

async function copyAccounts(from: Connection, writer: AccountStateWriter, pause: () => Promise<void>): Promise<void> {
  const reader = new AccountReader(from);
  // in a transaction that is rolled back
  from.exec(DELETE_DAMAGED_INTERVALS);
  for (const row of accountRows(from, 'id', STATE_COLUMNS)) {
    if (typeof writer.add(reader.state(row)) !== 'string') throw damaged(from.path, `two accounts ${row.screen_name}`);
    await pause();
  }
}

async function copyRecords(from: Connection, writer: ItemWriter, pause: () => Promise<void>): Promise<void> {
  for (const { id, json } of records(from)) {
    writer.addRecord(parseRecord(storedJson(from.path, `record ${id}`, json)));
    await pause();
  }
}

function copyExclusions(from: Connection, batch: Batch): void {
  for (const exclusion of new Exclusions(from).all()) batch.exclusions.add(exclusion, exclusion.isErased);
  batch.markMetadataChanged();
}

/** Returns the days with snapshots; none if their list is damaged, because nothing else depends on it. */
function undamagedDays(from: Connection): readonly DaySpan[] {
  try {
    return storedSnapshotDays(from);
  } catch {
    return [];
  }
}

/** Copies the state of mirrors, without saved pages and their ETags: the next run requests the pages that it needs without If-None-Match. */
function copyMirrors(from: Connection, to: Connection): void {
  for (const [table, keys] of Object.entries(MIRROR_TABLES)) {
    const places = (values: readonly unknown[]) => values.map(() => '?').join(', ');
    const query = `SELECT * FROM ${table} WHERE (${keys.join(', ')}) > (${places(keys)}) ORDER BY ${keys.join(', ')} LIMIT +?`;
    // -1 comes before every key
    const rows = from.rows<Readonly<Record<string, unknown>>>(
      query,
      keys.map(() => -1),
      (row) => keys.map((key) => row[key]),
    );
    let add: Statement<unknown[]> | undefined;
    for (const row of rows) {
      // better-sqlite3 writes a number as REAL, and a bigint as INTEGER
      const values = Object.values(row).map((value) => (typeof value === 'number' ? BigInt(value) : value));
      add ??= to.prepare<unknown[]>(`INSERT INTO ${table} VALUES (${places(values)})`);
      add.run(...values);
    }
  }
}

/** Compares the accounts of both stores. If digest and checksum both differ, the account lost records or its profile is damaged. */
function compareAccounts(from: Connection, to: Connection): void {
  const after = to.prepare<[string], Pick<AccountRow, 'digest' | 'checksum'>>('SELECT digest, checksum FROM account WHERE screen_name = ?');
  for (const { screen_name, digest, checksum } of accountRows(from, 'id', ['screen_name', 'digest', 'checksum'])) {
    const now = after.get(screen_name);
    const isSame = now !== undefined && (now.checksum === checksum || (digest !== null && now.digest?.equals(digest) === true));
    if (!isSame) throw damaged(from.path, `the profile or the records of ${screen_name} do not match their checksums`);
  }
  for (const table of [...ITEM_TABLES, ...Object.keys(MIRROR_TABLES)]) {
    const [expected, found] = [from, to].map((database) => Number(database.value(`SELECT count(*) FROM ${table}`)));
    if (found !== expected) throw damaged(from.path, `only ${found} of ${expected} rows of ${table} can be read`);
  }
}
