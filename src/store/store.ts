import type { AccountState } from '../contract/account-state.ts';
import { Failure } from '../contract/failure.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import { AccountCursor, type AccountTotals } from './account-cursor.ts';
import { AccountStates } from './account-states.ts';
import { inBatch } from './batch.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import type { Connection } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { openForReading, openForWriting, wrapErrors } from './database.ts';
import type { Direction } from './direction.ts';
import { feedChecksum } from './feed-blocks.ts';
import { FeedCursor } from './feed-cursor.ts';
import { isCurrent, materialize } from './materialize.ts';
import { latestRevision, nextRevision, type Revision, revisionOf } from './revision.ts';
import { NO_RECORD, RANKING_MODULUS } from './schema.ts';

/** The changes of one account, newest first. */
export interface History {
  readonly screen_name: string;
  readonly records: readonly ChangeRecord[];
}

/** One unchanging view of a store: what it held when it was opened. */
export class Store {
  readonly path: string;
  readonly revision: Revision;
  readonly #database: Connection;

  private constructor(path: string, database: Connection, revision: Revision) {
    this.path = path;
    this.#database = database;
    this.revision = revision;
  }

  /** @throws Failure no-store, bad-store, store-newer, store-busy, file-system */
  static open(path: string): Store {
    const database = openForReading(path);
    return wrapErrors(path, () => {
      database.exec('BEGIN');
      const revision = isCurrent(database) ? latestRevision(database) : undefined;
      if (revision !== undefined) return new Store(path, database, revision);
      const wasFilled = nextRevision(database) > 1;
      database.close();
      if (!wasFilled) throw neverFilled(path);
      materializeAt(path);
      return Store.open(path);
    });
  }

  /** The number of the revision that had this fingerprint; undefined where the store never had it. */
  revisionOf(fingerprint: string): number | undefined {
    return revisionOf(this.#database, fingerprint);
  }

  /**
   * Holds what was read of the whole feed to what was written.
   * @throws Failure bad-store
   */
  checkFeed(read: Checksum): void {
    const written = feedChecksum(this.#database);
    if (read.crc !== written.crc || read.bytes !== written.bytes) throw damaged(this.path, 'a feed that is not what was written');
  }

  /**
   * Holds what was read of all accounts' order to what was written; each account is held to it when it is read.
   * @throws Failure bad-store
   */
  checkAccounts({ accounts, sum }: AccountTotals): void {
    if (accounts === this.revision.accounts && sum % RANKING_MODULUS === this.revision.ranking_sum) return;
    throw damaged(this.path, 'an order of the accounts that is not what was written');
  }

  /** The feed, read from one of its ends. */
  feed(end: Direction): FeedCursor {
    return new FeedCursor(this.#database, end);
  }

  /** The accounts in their order, read from one of its ends. */
  accounts(end: Direction): AccountCursor {
    return new AccountCursor(this.#database, end);
  }

  /** What each account is sorted by, in their order: its first record's id, or its name if it has none. */
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
    for (let some = names.all('', NAMES); some.length > 0; some = names.all(some.at(-1) ?? '', NAMES)) yield* some;
  }

  /**
   * An account's records, newest first; undefined where no account has this handle, or had it before another.
   * Case does not matter unless two differ in it alone.
   */
  history(screenName: string): History | undefined {
    const name = this.#nameNow(screenName);
    if (name === undefined) return undefined;
    const records = this.#database
      .prepare<[string], StoredRecord>('SELECT id, json, checksum FROM record WHERE account = ? ORDER BY id DESC')
      .all(name);
    return {
      screen_name: name,
      records: records.map((record) => parseRecord(storedJson(this.path, `record ${record.id}`, this.#asWritten(record)))),
    };
  }

  #nameNow(screenName: string): string | undefined {
    const name = this.#database
      .prepare<[string, string], string>(
        'SELECT screen_name FROM account WHERE screen_name = ? COLLATE NOCASE ORDER BY screen_name <> ?, screen_name LIMIT 1',
      )
      .pluck();
    const formerly = this.#database
      .prepare<[string], string>(
        'SELECT screen_name FROM former_handle JOIN account ON account.id = account WHERE handle = ? ORDER BY seen_to DESC, screen_name LIMIT 1',
      )
      .pluck();
    return name.get(screenName, screenName) ?? formerly.get(screenName);
  }

  /** What the store knows of each account besides its records, by screen name. */
  accountStates(): Generator<AccountState> {
    return new AccountStates(this.#database).all();
  }

  /** Every record's JSON, by id. */
  *records(): Generator<string> {
    const next = this.#database.prepare<[number, number], StoredRecord>(
      'SELECT id, json, checksum FROM record WHERE id > ? ORDER BY id LIMIT +?',
    );
    for (let [last, rows] = [-1, next.all(-1, RECORDS)]; rows.length > 0; rows = next.all(last, RECORDS)) {
      for (const record of rows) {
        if (record.id <= last) throw damaged(this.path, 'records out of their order');
        last = record.id;
        yield this.#asWritten(record);
      }
    }
  }

  /** @throws Failure bad-store */
  #asWritten({ id, json, checksum }: StoredRecord): string {
    if (checksumOf(json) === checksum) return json;
    throw damaged(this.path, `record ${id} is not what was written`);
  }

  /** All handles, in no order that means anything. */
  *screenNames(): Generator<string> {
    const next = this.#database
      .prepare<[string, number], string>('SELECT screen_name FROM account WHERE screen_name > ? ORDER BY screen_name LIMIT +?')
      .pluck();
    for (let [last, names] = ['', next.all('', NAMES)]; names.length > 0; names = next.all(last, NAMES)) {
      yield* names;
      const end = names.at(-1) ?? '';
      if (end === last) throw damaged(this.path, 'names out of their order');
      last = end;
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface StoredRecord {
  readonly id: number;
  readonly json: string;
  readonly checksum: number;
}

/** How many records are read at once. */
const RECORDS = 500;
/** How many handles are read at once. */
const NAMES = 1000;

function neverFilled(path: string): Failure {
  return new Failure('no-store', `nothing has been imported into ${path}`, {
    place: { file: path },
    expected: 'a store that an import has filled',
    found: 'one whose first import did not end',
    hint: 'import again, or name another store with --store',
  });
}

/** Brings up to date what a change by other means than palimpsest (sqlite3, say) made stale. */
function materializeAt(path: string): void {
  const database = openForWriting(path);
  try {
    wrapErrors(path, () => inBatch(database, () => materialize(database, true)));
  } finally {
    database.close();
  }
}
