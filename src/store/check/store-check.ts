import { plural } from '../../contract/amounts.ts';
import { type OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { Failure } from '../../contract/failure.ts';
import { cut } from '../../contract/json.ts';
import { AccountReader } from '../accounts/account-reader.ts';
import { accountBatches, LISTED_COLUMNS, STATE_COLUMNS } from '../accounts/account-rows.ts';
import { areIntervalsDamaged } from '../accounts/change-intervals.ts';
import { countWrongLastSeen } from '../accounts/last-seen.ts';
import type { Connection } from '../database/connection.ts';
import { openStore, setReadOnly } from '../database/open-store.ts';
import { toFailure } from '../database/store-error.ts';
import { BEYOND, feedChecksum } from '../feed/feed-blocks.ts';
import { countWrongDays } from '../feed/feed-days.ts';
import type { StoredRecord } from '../feed/records.ts';
import { fingerprint, isNeverFilled, latestRevision, neverFilled } from '../revision.ts';
import { storedSnapshotDays } from '../snapshot-days.ts';
import { deriveStale } from '../writing/batch.ts';
import { type Checksum, checksumOf, NOTHING, RANKING_MODULUS, RANKING_TERM, recordsChecksum } from './checksum.ts';
import { accountIn, corruptionInAccount, corruptionInRecord, HistoryCheck } from './content-check.ts';

/** Something in a store that is damaged. */
export interface Finding {
  /** Such as `record 12 of jack`, `account jack`, `history of jack`, `former handles`, `order of accounts`, `revision`, `file`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  /** Whether it can be derived again from undamaged data. */
  readonly repairable: boolean;
}

/** The phases of a check. `content` counts records and accounts. SQLite checks the file in one step. */
export type CheckPhase = 'file' | 'content';

export interface CheckSummary {
  readonly records: number;
  readonly accounts: number;
  /** The first findings, up to a limit. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
}

/** The maximum number of findings in the summary. All are counted. */
const MAX_FINDINGS = 1000;
/** The number of rows that one query reads. */
const BATCH_SIZE = 500;
const CHECKED = [...STATE_COLUMNS, 'first_record', 'place', 'digest', 'checksum', ...LISTED_COLUMNS] as const;

/**
 * Checks a whole store for damage. SQLite checks the file. Every record is checked against its checksum and its rules,
 * and all derived data against its source. Memory does not grow with the store.
 * @throws Failure no-store, bad-store if nothing can be read, store-older, store-newer, store-busy, stopped, file-system
 */
export async function checkStore(
  path: string,
  { signal, onProgress = () => {} }: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress<CheckPhase> } = {},
): Promise<CheckSummary> {
  const pauses = new Pauses(signal, 'the store was not checked to its end, and nothing was changed');
  const database = openStore(path, 'read');
  try {
    deriveIfStale(database);
    database.exec('BEGIN');
    return await new StoreCheck(database, pauses, onProgress).run();
  } catch (error) {
    throw toFailure(path, error);
  } finally {
    database.close();
  }
}

/** Derives the accounts that another program made stale. If they are damaged, the check reports it. */
function deriveIfStale(database: Connection): void {
  try {
    const isStale = 'SELECT EXISTS (SELECT 1 FROM revision) AND EXISTS (SELECT 1 FROM account WHERE revision IS NULL)';
    if (database.value(isStale) === 1) deriveStale(database);
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    const failure = toFailure(database.path, error);
    if (!(failure instanceof Failure) || failure.code !== 'bad-store') throw failure;
  } finally {
    setReadOnly(database);
  }
}

/** One check of a whole store, in a transaction. */
class StoreCheck {
  readonly #database: Connection;
  readonly #pauses: Pauses;
  readonly #onProgress: OnProgress<CheckPhase>;
  readonly #all: number;
  readonly #findings: Finding[] = [];
  #count = 0;
  #records = 0;
  #accounts = 0;
  /** The checksum of the feed that was read, newest record first. */
  #feed: Checksum = NOTHING;

  constructor(database: Connection, pauses: Pauses, onProgress: OnProgress<CheckPhase>) {
    this.#database = database;
    this.#pauses = pauses;
    this.#onProgress = onProgress;
    this.#all = this.#orElse(0, () => Number(database.value('SELECT records + accounts FROM revision ORDER BY number DESC LIMIT 1')));
  }

  async run(): Promise<CheckSummary> {
    if (this.#orElse(false, () => isNeverFilled(this.#database))) throw neverFilled(this.#database.path);
    await this.#step('file', () => this.#checkFile());
    const isFileWhole = this.#count === 0;
    await this.#step('records', () => this.#checkRecords());
    // a repair deletes damaged days
    await this.#step('days with snapshots', async () => void storedSnapshotDays(this.#database));
    // derived data cannot be checked without intact indexes
    if (isFileWhole) {
      await this.#step('accounts', () => this.#checkAccounts());
      await this.#step('revision', async () => this.#checkRevision());
    }
    return { records: this.#records, accounts: this.#accounts, findings: this.#findings, findingCount: this.#count };
  }

  /** Runs a part of the check. Damage can end it early. */
  async #step(subject: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = toFailure(this.#database.path, error);
      if (!(failure instanceof Failure) || failure.code !== 'bad-store') throw failure;
      const repairable = subject !== 'records' && subject !== 'accounts';
      this.#add({ subject, expected: 'undamaged data', found: failure.found ?? failure.message, repairable });
    }
  }

  #orElse<T>(otherwise: T, read: () => T): T {
    try {
      return read();
    } catch {
      return otherwise;
    }
  }

  #add(finding: Finding): void {
    this.#count += 1;
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
  }

  async #pause(): Promise<void> {
    this.#onProgress('content', this.#records + this.#accounts, this.#all);
    if (this.#pauses.areDue) await this.#pauses.take();
  }

  async #checkFile(): Promise<void> {
    this.#onProgress('file', 0, 0);
    await this.#pauses.take();
    const lines = this.#database.values<string>(`PRAGMA integrity_check(${MAX_FINDINGS})`);
    for (const found of lines.filter((line) => line !== 'ok'))
      this.#add({ subject: 'file', expected: 'a database that passes the integrity check of SQLite', found, repairable: true });
    const orphans = this.#database.prepare<[], object>('PRAGMA foreign_key_check').all();
    if (orphans.length > 0) {
      const found = `${orphans.length} ${orphans.length === 1 ? 'record or former handle without its account' : 'records or former handles without their accounts'}`;
      this.#add({ subject: 'file', expected: 'an account for every record and former handle', found, repairable: false });
    }
  }

  async #checkRecords(): Promise<void> {
    const query = 'SELECT id, json, checksum FROM record WHERE id < ? ORDER BY id DESC LIMIT +?';
    let edge = BEYOND;
    for (const rows of this.#database.batches<StoredRecord>(query, [edge], ({ id }) => [id], BATCH_SIZE)) {
      for (const { id, json: text, checksum } of rows) {
        const json = String(text);
        if (id >= edge) {
          this.#add({ subject: 'records', expected: 'records in the order of their ids', found: `record ${id}`, repairable: false });
          return;
        }
        edge = id;
        const corruption = checksumOf(text) === checksum ? corruptionInRecord(id, json) : 'a text that does not match its checksum';
        if (corruption !== undefined) {
          const subject = `record ${id} of ${accountIn(json)}`;
          this.#add({ subject, expected: 'the record that was imported', found: `${corruption}: ${cut(json)}`, repairable: false });
        }
        this.#feed = recordsChecksum(Buffer.from(json), this.#feed);
        this.#records += 1;
      }
      await this.#pause();
    }
  }

  async #checkAccounts(): Promise<void> {
    const reader = new AccountReader(this.#database);
    const check = new HistoryCheck(this.#database);
    if (check.hasOrphans) {
      const found = 'a part of a history without its account';
      this.#add({ subject: 'histories', expected: 'an account for each part', found, repairable: true });
    }
    for (const rows of accountBatches(this.#database, 'id', CHECKED, BATCH_SIZE)) {
      for (const row of rows) {
        this.#accounts += 1;
        const subject = `account ${row.screen_name}`;
        const corruption = corruptionInAccount(reader, row);
        if (corruption !== undefined) {
          // a repair deletes the intervals
          const repairable = areIntervalsDamaged(row);
          this.#add({ subject, expected: 'the account that was imported', found: corruption, repairable });
          continue;
        }
        const { matchesDigest, matchesChecksum, matchesHistory, matchesColumns } = await check.run(row, this.#pauses);
        if (!matchesDigest && !matchesChecksum) {
          const found = 'a profile or records that match neither its SHA-256 nor its CRC-32';
          this.#add({ subject, expected: 'the account that was imported', found, repairable: false });
        } else if (!matchesDigest || !matchesChecksum || !matchesHistory || !matchesColumns) {
          const found = matchesHistory ? 'derived columns that do not match its records' : 'a copy that differs from its records';
          this.#add({ subject: `history of ${row.screen_name}`, expected: 'data derived from its records', found, repairable: true });
        }
      }
      await this.#pause();
    }
  }

  #checkRevision(): void {
    const revision = latestRevision(this.#database);
    if (revision === undefined) {
      this.#add({ subject: 'revision', expected: 'a revision', found: 'no revision', repairable: true });
      return;
    }
    const sum = Number(this.#database.value(`SELECT ifnull(sum(${RANKING_TERM}) % ${RANKING_MODULUS}, 0) FROM account`));
    const feed = feedChecksum(this.#database);
    const compared: readonly (readonly [string, string | number, string | number])[] = [
      ['records of the revision', this.#records, revision.records],
      ['accounts of the revision', this.#accounts, revision.accounts],
      ['order of accounts', sum, revision.ranking_sum],
      ['blocks of the feed with wrong days', 0, countWrongDays(this.#database)],
      ['checksums of the feed', `${this.#feed.crc} of ${this.#feed.bytes} bytes`, `${feed.crc} of ${feed.bytes} bytes`],
    ];
    for (const [subject, expected, found] of compared) {
      if (expected !== found) this.#add({ subject, expected: String(expected), found: String(found), repairable: true });
    }
    const [expected, found] = [fingerprint(this.#database), revision.fingerprint];
    this.#checkLastSeen(expected !== found);
    if (expected === found) return;
    // all accounts and their order match their checksums, and so does the revision
    if (this.#count === 0)
      this.#add({ subject: 'former handles', expected: 'the former handles that were imported', found: 'others', repairable: false });
    else this.#add({ subject: 'fingerprint', expected, found, repairable: true });
  }

  /** @param repairable whether the fingerprint, which has `last_seen`, does not match. If it matches, `observed_to` is damaged */
  #checkLastSeen(repairable: boolean): void {
    const wrong = countWrongLastSeen(this.#database);
    const found = `${plural(wrong, 'account')} with another last_seen`;
    if (wrong > 0) this.#add({ subject: 'times of observations', expected: 'last_seen derived from observed_to', found, repairable });
  }
}
