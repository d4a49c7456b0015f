import { type Account, encodeIdentity, encodeSummary, identityOf, NO_SUMMARY } from '../contract/account.ts';
import type { ConflictPolicy } from '../contract/conflict-policy.ts';
import { type ChangeRecord, encodeRecord } from '../contract/record.ts';
import type { Connection, Statement } from './connection.ts';
import { openForWriting, worded } from './database.ts';
import { FORGET_ON_CHANGE, RECORD_ACCOUNT, TRUST_CHANGES } from './schema.ts';
import { isSettled, settle } from './settle.ts';

/** What became of an item; a conflict changes nothing and says what both versions are. */
export type Outcome = 'added' | 'same' | 'kept' | 'replaced' | Conflict;

export interface Conflict {
  /** `record 12`, `account jack`. */
  readonly subject: string;
  readonly stored: string;
  readonly found: string;
}

interface Profile {
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

/** How many account names are remembered as known, before all are forgotten. */
const REMEMBERED = 100_000;
const EMPTY_SUMMARY = encodeSummary(NO_SUMMARY);

/**
 * One import: all of it goes into the store on commit, or nothing does. While it is open no other
 * process can write.
 */
export class Batch {
  readonly #database: Connection;
  readonly #path: string;
  readonly #policy: ConflictPolicy;
  /** Whether the store was empty: then the records' index is made once they are all in. */
  readonly #isFirst: boolean;
  #hasChanged = false;
  #recordsChanged = false;
  readonly #known = new Set<string>();
  readonly #stale = new Set<string>();
  readonly #markStale: Statement<[string]>;
  readonly #markOwnerStale: Statement<[number]>;
  readonly #addAccount: Statement<[string, string, string]>;
  readonly #addRecord: Statement<[number, string]>;
  readonly #record: Statement<[number], string>;
  readonly #replaceRecord: Statement<[string, number]>;
  readonly #profile: Statement<[string], Profile>;
  readonly #setProfile: Statement<[string, string, number, string]>;

  /** @throws Failure store-busy, bad-store, store-newer, file-system */
  constructor(path: string, policy: ConflictPolicy) {
    const database = openForWriting(path);
    this.#database = database;
    this.#path = path;
    this.#policy = policy;
    this.#guard(() => begin(database));
    this.#isFirst = isEmpty(database);
    if (this.#isFirst) database.exec('DROP INDEX record_account');
    this.#markStale = database.prepare('UPDATE account SET revision = NULL WHERE screen_name = ? AND revision IS NOT NULL');
    this.#markOwnerStale = database.prepare(
      'UPDATE account SET revision = NULL WHERE screen_name = (SELECT account FROM record WHERE id = ?)',
    );
    this.#addAccount = database.prepare('INSERT INTO account (screen_name, identity, summary) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    this.#addRecord = database.prepare('INSERT INTO record (id, json) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
    this.#record = database.prepare<[number], string>('SELECT json FROM record WHERE id = ?').pluck();
    this.#replaceRecord = database.prepare('UPDATE record SET json = ? WHERE id = ?');
    this.#profile = database.prepare('SELECT identity, summary, known_to FROM account WHERE screen_name = ?');
    this.#setProfile = database.prepare('UPDATE account SET identity = ?, summary = ?, known_to = ? WHERE screen_name = ?');
  }

  addRecord(record: ChangeRecord): Outcome {
    return this.#guard(() => {
      this.#ensureAccount(record.account);
      const json = encodeRecord(record);
      if (this.#addRecord.run(record.id, json).changes === 1) {
        this.#recordsChanged = true;
        this.#touch(record.account);
        return 'added';
      }
      const stored = this.#record.get(record.id);
      if (stored === json) return 'same';
      if (this.#policy === 'replace') {
        this.#markOwnerStale.run(record.id);
        this.#replaceRecord.run(json, record.id);
        this.#recordsChanged = true;
        this.#touch(record.account);
      }
      return this.#outcome(`record ${record.id}`, stored ?? '', json);
    });
  }

  /**
   * Adds an account's profile; its records are added one by one. Of two profiles the one that came with
   * the newer record is the later, whichever is imported first; only where that does not tell them
   * apart they conflict.
   */
  addProfile(account: Account): Outcome {
    return this.#guard(() => {
      this.#ensureAccount(account.screen_name);
      const [identity, summary] = [encodeIdentity(account), encodeSummary(account)];
      const knownTo = account.data.reduce((newest, record) => Math.max(newest, record.id), 0);
      const stored = this.#profile.get(account.screen_name);
      const set = () => {
        this.#setProfile.run(identity, summary, knownTo, account.screen_name);
        this.#touch(account.screen_name);
      };
      if (stored === undefined || stored.known_to === null) {
        set();
        return 'added';
      }
      if (stored.identity === identity && stored.summary === summary) {
        if (stored.known_to < knownTo) {
          this.#setProfile.run(identity, summary, knownTo, account.screen_name);
          this.#hasChanged = true;
        }
        return 'same';
      }
      if (stored.known_to > knownTo) return 'kept';
      if (stored.known_to < knownTo || this.#policy === 'replace') {
        set();
        return 'replaced';
      }
      return this.#outcome(`account ${account.screen_name}`, stored.identity + stored.summary, identity + summary);
    });
  }

  /**
   * Makes the batch part of the store.
   * @param onSettle called with the accounts whose histories have been derived, and those to be
   */
  commit(onSettle?: (done: number, all: number) => void): void {
    this.#guard(() => {
      if (!this.#hasChanged && isSettled(this.#database)) return;
      if (this.#isFirst) this.#database.exec(RECORD_ACCOUNT);
      settle(this.#database, this.#recordsChanged, onSettle);
      end(this.#database);
    });
    this.#tidy();
  }

  /** Makes SQLite's write-ahead log small. That can wait for the next import: the batch is in. */
  #tidy(): void {
    try {
      this.#database.value('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // a full disk, or a reader at work
    }
  }

  /** Ends the batch; what was not committed leaves the store as it was. */
  end(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
  }

  #outcome(subject: string, stored: string, found: string): Outcome {
    if (this.#policy === 'replace') return 'replaced';
    return this.#policy === 'keep' ? 'kept' : { subject, stored, found };
  }

  #touch(screenName: string): void {
    this.#hasChanged = true;
    if (this.#stale.has(screenName)) return;
    if (this.#stale.size >= REMEMBERED) this.#stale.clear();
    this.#markStale.run(screenName);
    this.#stale.add(screenName);
  }

  #ensureAccount(screenName: string): void {
    if (this.#known.has(screenName)) return;
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#addAccount.run(screenName, encodeIdentity(identityOf(screenName)), EMPTY_SUMMARY);
    this.#known.add(screenName);
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw worded(this.#path, error);
    }
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

function begin(database: Connection): void {
  database.exec('BEGIN IMMEDIATE');
  database.exec(TRUST_CHANGES);
}

function end(database: Connection): void {
  database.exec(FORGET_ON_CHANGE);
  database.exec('COMMIT');
}
