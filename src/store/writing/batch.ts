import { encodeIdentity, encodeSummary, identityOf, NO_SUMMARY } from '../../contract/account.ts';
import { type OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { deriveLastSeen } from '../accounts/last-seen.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../database/change-triggers.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { openStore, setReadOnly, setWritable, WRITE_AHEAD_LOG } from '../database/open-store.ts';
import { DERIVED_INDEXES, RECORD_ACCOUNT } from '../database/schema.ts';
import { createSchemaInTransaction } from '../database/schema-version.ts';
import { toFailure, wrapErrors } from '../database/store-error.ts';
import { eraseFreed, mustErase } from '../exclusions/erase-freed-bytes.ts';
import { Exclusions } from '../exclusions/exclusions.ts';
import { FeedBlockMarks } from '../feed/feed-blocks.ts';
import type { EncodedRecord } from '../feed/records.ts';
import { acceptExternalChanges, materialize } from '../histories/materialize.ts';
import { isCurrent, latestRevision } from '../revision.ts';

/** The maximum number of names in a name cache. A full cache is cleared. */
const NAME_CACHE_SIZE = 100_000;
const EMPTY_SUMMARY = encodeSummary(NO_SUMMARY);

/**
 * A transaction on the store: a commit writes all changes, otherwise nothing changes. While it is open, no other process can write. If it
 * creates the store, none can read either. Code that changes an account must call {@link markChanged}.
 */
export class Batch {
  readonly database: Connection;
  readonly #indexLast: boolean;
  /** Whether the commit derives all accounts, so that none has to be marked as stale. */
  readonly #isAllStale: boolean;
  #hasChanged = false;
  #hasMetadataChanged = false;
  #hasObservedChanged = false;
  #feedChanged = false;
  #isRenamed = false;
  /** The row numbers of accounts by their names. */
  readonly #rows = new Map<string, number>();
  readonly #stale = new Set<string>();
  readonly #feedBlocks: FeedBlockMarks;
  #exclusions: Exclusions | undefined;
  readonly #addRecord: Statement<[number, number, number, string | Buffer]>;
  readonly #putRecord: Statement<[number, number, number, string | Buffer]>;

  /**
   * @param access how the batch looks up records: only by id, or by account too. 'by id' fills an empty store faster,
   *   because two indexes are created at the end
   * @param isDryRun whether the batch is never committed. The store file then stays unchanged
   * @throws Failure store-busy, bad-store, store-older, store-newer, file-system
   */
  constructor(path: string, access: 'by id' | 'by account', isDryRun = false) {
    const database = openStore(path, isDryRun ? 'dry run' : 'batch');
    this.database = database;
    try {
      // the schema belongs to the transaction, so that an incomplete new store is no store without its rollback journal
      this.guard(() => begin(database, () => createSchemaInTransaction(database, path)));
      this.#indexLast = this.guard(() => access === 'by id' && database.value('SELECT NOT EXISTS (SELECT 1 FROM record)') === 1);
    } catch (error) {
      database.close();
      throw error;
    }
    // Every value was parsed before, by stricter rules. The checks of the schema, which parse its JSON again for each rule, take half
    // of the time of an insert. They are for changes by other programs.
    database.exec('PRAGMA ignore_check_constraints = ON');
    if (this.#indexLast) database.exec('DROP INDEX record_account; DROP INDEX account_order; DROP INDEX account_name');
    this.#isAllStale = latestRevision(database) === undefined;
    this.#feedBlocks = new FeedBlockMarks(database);
    const insert = 'INSERT INTO record (id, account, checksum, json) VALUES (?, ?, ?, CAST(? AS TEXT)) ON CONFLICT (id)';
    this.#addRecord = database.prepare(`${insert} DO NOTHING`);
    this.#putRecord = database.prepare(
      `${insert} DO UPDATE SET account = excluded.account, checksum = excluded.checksum, json = excluded.json`,
    );
  }

  /** Whether the batch fills a store without records. */
  get isFirst(): boolean {
    return this.#indexLast;
  }

  /** The accounts that must not come back. */
  get exclusions(): Exclusions {
    this.#exclusions ??= new Exclusions(this.database);
    return this.#exclusions;
  }

  /** Runs work on the store and converts errors of SQLite to failures. */
  guard<T>(work: () => T): T {
    return wrapErrors(this.database.path, work);
  }

  /** Returns the row number of an account. Adds the account if it is missing. */
  ensureAccount(screenName: string): number {
    const known = this.#rows.get(screenName);
    if (known !== undefined) return known;
    if (this.#rows.size >= NAME_CACHE_SIZE) this.clearNameCache();
    const row = this.database.value<number>('SELECT id FROM account WHERE screen_name = ?', screenName) ?? this.#addAccount(screenName);
    this.#rows.set(screenName, row);
    return row;
  }

  #addAccount(screenName: string): number {
    const insert = 'INSERT INTO account (screen_name, identity, summary) VALUES (?, ?, ?)';
    return Number(this.database.run(insert, screenName, encodeIdentity(identityOf(screenName)), EMPTY_SUMMARY).lastInsertRowid);
  }

  /** Adds a record. Returns false if the store has another one with its id, which stays. */
  addRecord({ id, account, json, checksum }: EncodedRecord): boolean {
    if (this.#addRecord.run(id, this.ensureAccount(account), checksum, json).changes === 0) return false;
    this.#markRecordChanged(account, id);
    return true;
  }

  /** Adds a record, or replaces the one with its id. @param row the row number of its account */
  putRecord({ id, account, json, checksum }: EncodedRecord, row: number): void {
    this.#putRecord.run(id, row, checksum, json);
    this.#markRecordChanged(account, id);
  }

  deleteRecord(screenName: string, id: number): void {
    this.database.run('DELETE FROM record WHERE id = ?', id);
    this.#markRecordChanged(screenName, id);
  }

  /** Marks an account whose published data has changed. */
  markChanged(screenName: string): void {
    this.#hasChanged = true;
    if (this.#isAllStale || this.#stale.has(screenName)) return;
    if (this.#stale.size >= NAME_CACHE_SIZE) this.#stale.clear();
    this.database.run('UPDATE account SET revision = NULL WHERE screen_name = ? AND revision IS NOT NULL', screenName);
    this.#stale.add(screenName);
  }

  /** Marks an account with another handle or new former handles. Browse files have lists by handle, and the handle of each time. */
  markRenamed(screenName: string): void {
    this.#isRenamed = true;
    this.#feedChanged = true;
    this.markChanged(screenName);
  }

  #markRecordChanged(screenName: string, id: number): void {
    this.#feedChanged = true;
    this.#feedBlocks.mark(id);
    this.markChanged(screenName);
  }

  /** Marks that unpublished data has changed. */
  markMetadataChanged(): void {
    this.#hasMetadataChanged = true;
  }

  /** Marks that the time of the latest observation of an account may have changed. */
  markObservedChanged(): void {
    this.#hasMetadataChanged = true;
    this.#hasObservedChanged = true;
  }

  /** Clears the caches of names. Needed when a name moves to another account. */
  clearNameCache(): void {
    this.#rows.clear();
    this.#stale.clear();
  }

  /**
   * Derives data from the changes and commits the batch.
   * @throws Failure stopped if `pauses` end before the commit
   */
  async commit(pauses: Pauses = new Pauses(undefined, ''), onProgress: OnProgress<CommitPhase> = () => {}): Promise<void> {
    try {
      if (this.#hasObservedChanged) deriveLastSeen(this.database);
      const isStale = this.#hasChanged || !isCurrent(this.database);
      if (!isStale && !this.#hasMetadataChanged) return;
      if (this.#indexLast) {
        onProgress('index', 0, 0);
        await pauses.take();
        this.database.exec(RECORD_ACCOUNT);
      }
      if (isStale) {
        // only a batch needs it: other commands start faster without it
        const { RecordsByAccount } = await import('../histories/records-by-account.ts');
        for (const { done, all } of materialize(this.database, this.#feedChanged, this.#isRenamed, RecordsByAccount)) {
          onProgress('histories', done, all);
          if (pauses.areDue) await pauses.take();
        }
      }
      if (this.#indexLast) this.database.exec(DERIVED_INDEXES);
      onProgress('commit', 0, 0);
      await pauses.take();
      end(this.database);
    } catch (error) {
      throw toFailure(this.database.path, error);
    }
    this.#truncateLog();
  }

  /**
   * Gives a new store a write-ahead log, or truncates the log of SQLite, and erases the bytes of removed accounts if a removal has
   * not done so. Errors are ignored, because the batch is committed and the next batch tries again.
   */
  #truncateLog(): void {
    try {
      this.database.exec(WRITE_AHEAD_LOG);
      if (mustErase(this.database)) eraseFreed(this.database);
      this.database.value('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // the disk is full, or another process reads the store
    }
  }

  /** Ends the batch and rolls back changes that are not committed. */
  end(): void {
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    this.database.close();
  }
}

/** The phases of {@link Batch.commit}. They count accounts. */
export type CommitPhase = 'index' | 'histories' | 'commit';

/** Derives stale data in a transaction of a connection that reads. */
export function deriveStale(database: Connection): void {
  setWritable(database);
  begin(database);
  for (const _ of materialize(database, true, true));
  end(database);
  setReadOnly(database);
}

function begin(database: Connection, prepare?: () => void): void {
  // in a new store, which has no write-ahead log yet, a reader would keep the batch from writing
  database.exec('BEGIN EXCLUSIVE');
  prepare?.();
  database.exec(DROP_CHANGE_TRIGGERS);
  acceptExternalChanges(database);
}

function end(database: Connection): void {
  database.exec(CREATE_CHANGE_TRIGGERS);
  database.exec('COMMIT');
}
