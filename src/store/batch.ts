import { encodeIdentity, encodeSummary, identityOf, NO_SUMMARY } from '../contract/account.ts';
import type { Connection, Statement } from './connection.ts';
import { bringForward, openForDryRun, openForWriting, toFailure } from './database.ts';
import { FeedBlockMarks } from './feed-blocks.ts';
import { acceptOtherHands, isCurrent, materialize } from './materialize.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS, RECORD_ACCOUNT } from './schema.ts';

/** How many account names are remembered as known, before all are forgotten. */
const NAME_CACHE_SIZE = 100_000;
const EMPTY_SUMMARY = encodeSummary(NO_SUMMARY);

/**
 * A change of the store: all of it goes in on commit, or nothing does. While it is open no other process
 * can write. What changes an account or its records has to be told with {@link markChanged} and
 * {@link markRecordChanged}.
 */
export class Batch {
  readonly database: Connection;
  readonly #path: string;
  readonly #indexLast: boolean;
  #hasChanged = false;
  #hasNotes = false;
  #recordsChanged = false;
  readonly #known = new Set<string>();
  readonly #stale = new Set<string>();
  readonly #feedBlocks: FeedBlockMarks;
  readonly #markStale: Statement<[string]>;
  readonly #addAccount: Statement<[string, string, string]>;

  /**
   * @param access how records will be reached while it is open: by their ids alone, or by their accounts too.
   *   The former fills an empty store faster, because an index can be made at the end, all at once
   * @param isDryRun whether it will never be committed, so that the store's file stays as it is, of an older version too
   * @throws Failure store-busy, bad-store, store-newer, file-system
   */
  constructor(path: string, access: 'by id' | 'by account', isDryRun = false) {
    const database = isDryRun ? openForDryRun(path) : openForWriting(path);
    this.database = database;
    this.#path = path;
    try {
      this.guard(() => begin(database, isDryRun ? () => bringForward(database, path) : undefined));
      this.#indexLast = this.guard(() => access === 'by id' && isEmpty(database));
    } catch (error) {
      database.close();
      throw error;
    }
    if (this.#indexLast) database.exec('DROP INDEX record_account');
    this.#feedBlocks = new FeedBlockMarks(database);
    this.#markStale = database.prepare('UPDATE account SET revision = NULL WHERE screen_name = ? AND revision IS NOT NULL');
    this.#addAccount = database.prepare('INSERT INTO account (screen_name, identity, summary) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  }

  /** Runs one piece of work on the store and words SQLite's errors for people. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toFailure(this.#path, error);
    }
  }

  /** Makes sure that an account is there. */
  ensureAccount(screenName: string): void {
    if (this.#known.has(screenName)) return;
    if (this.#known.size >= NAME_CACHE_SIZE) this.#known.clear();
    this.#addAccount.run(screenName, encodeIdentity(identityOf(screenName)), EMPTY_SUMMARY);
    this.#known.add(screenName);
  }

  /** Tells that what the store publishes of an account has changed. */
  markChanged(screenName: string): void {
    this.#hasChanged = true;
    if (this.#stale.has(screenName)) return;
    if (this.#stale.size >= NAME_CACHE_SIZE) this.#stale.clear();
    this.#markStale.run(screenName);
    this.#stale.add(screenName);
  }

  /** Tells that a record of an account is new, or other than it was. */
  markRecordChanged(screenName: string, id: number): void {
    this.#recordsChanged = true;
    this.#feedBlocks.mark(id);
    this.markChanged(screenName);
  }

  /** Tells that something has changed that is not published. */
  markMetadataChanged(): void {
    this.#hasNotes = true;
  }

  /** Forgets which names were seen: needed where one has been given to another account. */
  clearNameCache(): void {
    this.#known.clear();
    this.#stale.clear();
  }

  /**
   * Makes the batch part of the store.
   * @param onSettle called with the accounts whose histories have been derived, and those to be
   */
  commit(onSettle?: (done: number, all: number) => void): void {
    this.guard(() => {
      const isToSettle = this.#hasChanged || !isCurrent(this.database);
      if (!isToSettle && !this.#hasNotes) return;
      if (this.#indexLast) this.database.exec(RECORD_ACCOUNT);
      if (isToSettle) materialize(this.database, this.#recordsChanged, onSettle);
      end(this.database);
    });
    this.#tidy();
  }

  /** Makes SQLite's write-ahead log small. That can wait for the next import: the batch is in. */
  #tidy(): void {
    try {
      this.database.value('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // a full disk, or a reader at work
    }
  }

  /** Ends the batch; what was not committed leaves the store as it was. */
  end(): void {
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    this.database.close();
  }
}

/** Runs a change of derived data only, in a batch of its own. */
export function inBatch(database: Connection, work: () => void): void {
  begin(database);
  work();
  end(database);
}

function isEmpty(database: Connection): boolean {
  return database.value('SELECT NOT EXISTS (SELECT 1 FROM record)') === 1;
}

function begin(database: Connection, prepare?: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  prepare?.();
  database.exec(DROP_CHANGE_TRIGGERS);
  acceptOtherHands(database);
}

function end(database: Connection): void {
  database.exec(CREATE_CHANGE_TRIGGERS);
  database.exec('COMMIT');
}
