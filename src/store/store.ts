import type { AccountState } from '../contract/account-state.ts';
import { Failure } from '../contract/failure.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import { AccountEntries } from './account-entries.ts';
import { AccountLines } from './account-lines.ts';
import { AccountSearch } from './account-search.ts';
import { AccountStates } from './account-states.ts';
import { inBatch } from './batch.ts';
import { checksumOf } from './checksum.ts';
import type { Connection } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { ExclusionList, type ListedExclusion } from './exclusion-list.ts';
import { checksumBelow } from './feed-blocks.ts';
import { FeedCursor } from './feed-cursor.ts';
import { type FeedDay, feedDays } from './feed-days.ts';
import { feedEdge } from './feed-position.ts';
import { materialize } from './materialize.ts';
import { openStore, setReadOnly, setWritable } from './open-store.ts';
import { PageSource } from './page-source.ts';
import { type PublishedAccount, publishedAccounts } from './published-accounts.ts';
import { isCurrent, latestRevision, nextRevision, type Revision, revisionOf } from './revision.ts';
import { NO_RECORD } from './schema.ts';
import { type SearchedNames, searchedNames } from './searched-names.ts';
import { wrapErrors } from './store-error.ts';
import { StoredAccounts } from './stored-accounts.ts';

/** A consistent view of a store at the time of its opening. Later commits do not change it. */
export class Store extends PageSource {
  readonly #database: Connection;

  private constructor(database: Connection, revision: Revision) {
    super(database, revision);
    this.#database = database;
  }

  /**
   * Opens a store for reading. If another program (such as sqlite3) has changed it, first derives the stale data again.
   * @throws Failure no-store, bad-store, store-older, store-newer, store-busy, file-system
   */
  static open(path: string): Store {
    const database = openStore(path, 'read');
    try {
      return wrapErrors(path, () => {
        for (;;) {
          database.exec('BEGIN');
          const revision = isCurrent(database) ? latestRevision(database) : undefined;
          if (revision !== undefined) return new Store(database, revision);
          const wasFilled = nextRevision(database) > 1;
          database.exec('ROLLBACK');
          if (!wasFilled) throw neverFilled(path);
          setWritable(database);
          inBatch(database, () => {
            for (const _ of materialize(database, true));
          });
          setReadOnly(database);
        }
      });
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Returns the number of the revision with this fingerprint. Returns undefined if the store never had it. */
  revisionOf(fingerprint: string): number | undefined {
    return revisionOf(this.#database, fingerprint);
  }

  /** Returns a checksum of the oldest records. @param records the number of these records */
  oldestChecksum(records: number): string {
    const { crc, bytes } = checksumBelow(this.#database, feedEdge(this.#database, this.revision.records - records));
    return `${crc.toString(16).padStart(8, '0')}-${bytes}`;
  }

  /** Returns a cursor over the feed that begins after a number of its newest records. */
  feedAfter(records: number): FeedCursor {
    return new FeedCursor(this.#database, 'first', feedEdge(this.#database, records));
  }

  /** Returns a reader of the accounts as lines of a list, in the order of the account pages, after a number of accounts. */
  accountLinesAfter(accounts: number): AccountLines {
    return new AccountLines(this.#database, accounts);
  }

  /** Returns a reader of single accounts with their records. */
  storedAccounts(): StoredAccounts {
    return new StoredAccounts(this.#database);
  }

  /** Returns the number of records of each day, and their places in the feed. */
  feedDays(): readonly FeedDay[] {
    return feedDays(this.#database);
  }

  /** Yields the sort key of each account, in order: the id of its first record, or its name if it has no record. */
  *accountKeys(): Generator<number | string> {
    const places = this.#database
      .prepare<[number, number], number>(
        `SELECT place FROM account INDEXED BY account_order WHERE place > ? AND place < ${NO_RECORD} ORDER BY place LIMIT +?`,
      )
      .pluck();
    for (let ids = places.all(-1, NAMES); ids.length > 0; ids = places.all(ids.at(-1) ?? NO_RECORD, NAMES)) yield* ids;
    const names = this.#database
      .prepare<[string, number], string>(
        `SELECT screen_name FROM account INDEXED BY account_order WHERE place = ${NO_RECORD} AND screen_name > ? ORDER BY screen_name LIMIT +?`,
      )
      .pluck();
    for (let rows = names.all('', NAMES); rows.length > 0; rows = names.all(rows.at(-1) ?? '', NAMES)) yield* rows;
  }

  /** Returns a search for accounts by handle, former handle and stable id. */
  accountSearch(): AccountSearch {
    return new AccountSearch(this.#database);
  }

  /** Yields the names of all accounts. */
  searchedNames(): Generator<SearchedNames> {
    return searchedNames(this.#database);
  }

  /** Returns a reader of the accounts as a list. */
  accountEntries(): AccountEntries {
    return new AccountEntries(this.#database);
  }

  /**
   * Returns the records of the account with exactly this handle, newest first.
   * @throws Failure bad-store
   */
  history(screenName: string): readonly ChangeRecord[] {
    const records = this.#database
      .prepare<[string], StoredRecord>('SELECT id, json, checksum FROM record WHERE account = ? ORDER BY id DESC')
      .all(screenName);
    return records.map((record) => parseRecord(storedJson(this.path, `record ${record.id}`, this.#checkedJson(record))));
  }

  /** Yields the facts about each account that cannot be derived from its records, sorted by screen name. */
  accountStates(): Generator<AccountState> {
    return new AccountStates(this.#database).all();
  }

  /** Yields every account with its published profile, sorted by screen name. */
  publishedAccounts(): Generator<PublishedAccount> {
    return publishedAccounts(this.#database);
  }

  /** Returns the accounts that must not come back, in an order that depends only on their contents. */
  exclusions(): readonly ListedExclusion[] {
    return new ExclusionList(this.#database).all();
  }

  /** Yields the JSON of every record, sorted by id. */
  *records(): Generator<string> {
    const next = this.#database.prepare<[number, number], StoredRecord>(
      'SELECT id, json, checksum FROM record WHERE id > ? ORDER BY id LIMIT +?',
    );
    for (let [last, rows] = [-1, next.all(-1, RECORDS)]; rows.length > 0; rows = next.all(last, RECORDS)) {
      for (const record of rows) {
        if (record.id <= last) throw damaged(this.path, 'records out of order');
        last = record.id;
        yield this.#checkedJson(record);
      }
    }
  }

  /** @throws Failure bad-store */
  #checkedJson({ id, json, checksum }: StoredRecord): string {
    if (checksumOf(json) === checksum) return json;
    throw damaged(this.path, `record ${id} does not match its checksum`);
  }
}

interface StoredRecord {
  readonly id: number;
  readonly json: string;
  readonly checksum: number;
}

/** The number of records that one query reads. */
const RECORDS = 500;
/** The number of handles that one query reads. */
const NAMES = 1000;

function neverFilled(path: string): Failure {
  return new Failure('no-store', `nothing has been imported into ${path}`, {
    place: { file: path },
    expected: 'a store that an import has filled',
    found: 'a store whose first import did not finish',
    hint: 'import again, or name another store with --store',
  });
}
