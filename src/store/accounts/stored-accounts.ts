import { crc32 } from 'node:zlib';
import type { FormerHandle } from '../../contract/accounts/account-state.ts';
import type { ChangeInterval } from '../../contract/accounts/change-interval.ts';
import type { Instant } from '../../contract/instant.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';
import { HistoryParts } from '../histories/history-parts.ts';
import { AccountReader, type ListedAccount } from './account-reader.ts';
import { ACCOUNT_NAMED, type AccountRow, accountRows } from './account-rows.ts';
import { intervalsOf } from './change-intervals.ts';
import { SEEN_LATELY } from './last-seen.ts';

/** An account with its records. */
export interface StoredAccount extends Pick<AccountRow, 'id' | 'screen_name' | 'stable_id' | 'last_seen'> {
  readonly records: number;
  /** The length of the JSON of its newest records, in bytes. An account with few records has no others. */
  readonly bytes: number;
  /** The JSON of the account with all its records, newest first; null: the account is not newer than requested. */
  readonly json: Buffer | null;
  readonly intervals: readonly ChangeInterval[];
}

interface AccountContents
  extends Omit<StoredAccount, 'json' | 'intervals'>,
    Pick<AccountRow, 'checksum' | 'first_record' | 'observed_to' | 'change_intervals' | 'intervals_checksum'> {
  readonly head: Buffer | null;
  readonly tail: string;
}

type SizedAccount = Pick<StoredAccount, 'screen_name' | 'records' | 'bytes'>;

/** A handle that an account had before its present one. */
export interface FormerName extends SizedAccount {
  readonly handle: string;
  readonly seen_to: number;
}

/** A former handle of an account with records, and its present name. */
export interface NamedHandle extends FormerHandle, Pick<StoredAccount, 'screen_name' | 'stable_id'> {}

export interface SizeOfRecord {
  readonly id: number;
  /** The length of its JSON without the handle of its account, in bytes. */
  readonly bytes: number;
}

export type NamedAccount = Pick<ListedAccount, 'screen_name' | 'display_name'>;

/** An account with observations. */
export interface SeenAccount extends Pick<StoredAccount, 'id' | 'screen_name'> {
  /** When it was last seen; -1: lately. */
  readonly last_seen: Instant;
}

export interface HandleOfRow {
  readonly id: number;
  readonly handle: string;
}

/** The number of the records of an account, and the bytes of the newest of them. */
const SIZE = 'ifnull(records, 0) AS records, ifnull(octet_length(head) + 1, 0) AS bytes';
const SIZES = `SELECT id, octet_length(json) - octet_length(:account) AS bytes FROM record
  WHERE account = (SELECT id FROM account WHERE screen_name = :account)`;

/** Reads single accounts with their records. */
export class StoredAccounts extends AccountReader {
  readonly #database: Connection;
  readonly #account: Statement<[{ id: number; since: number }], AccountContents>;
  readonly #parts: HistoryParts;
  readonly #formerNames: Statement<[string], FormerName>;
  readonly #sizes: Statement<[{ account: string }], SizeOfRecord>;
  readonly #sizesUntil: Statement<[{ account: string; time: string }], SizeOfRecord>;
  readonly #longAccounts: Statement<[number, number], string>;
  readonly #accountOf: Statement<[number], SizedAccount>;
  readonly #textOf: Statement<[number], string | null>;
  readonly #timeBefore: Statement<[{ id: number }], string>;
  readonly #holder: Statement<[{ handle: string; id: number }], string>;
  readonly #between: Statement<[string, number, number], Buffer | null>;

  constructor(database: Connection) {
    super(database);
    this.#database = database;
    // accounts are not read in the order in which they are stored: with a smaller cache, most pages would be read several times
    database.exec('PRAGMA cache_size = -8192');
    this.#account = database.prepare(`
      SELECT account.id, screen_name, stable_id, observed_to, last_seen, checksum, account.first_record AS first_record, ${SIZE},
        iif(revision > :since, change_intervals, NULL) AS change_intervals, iif(revision > :since, intervals_checksum, NULL) AS intervals_checksum,
        iif(revision > :since, CAST(ifnull(head, rtrim(identity, '}') || ',"data":[') AS BLOB), NULL) AS head,
        ifnull(tail, ',' || ltrim(summary, '{')) AS tail
      FROM account LEFT JOIN history ON history.first_record = account.first_record WHERE account.id = :id`);
    this.#parts = new HistoryParts(database);
    this.#formerNames = database.prepare(
      `SELECT handle, screen_name, seen_to, ${SIZE}
        FROM former_handle JOIN account ON account.id = account LEFT JOIN history ON history.first_record = account.first_record
        WHERE account IN (SELECT value FROM json_each(?)) ORDER BY handle, seen_to DESC, screen_name`,
    );
    this.#sizes = database.prepare(`${SIZES} ORDER BY id`);
    this.#sizesUntil = database.prepare(`${SIZES} AND json ->> 'first_encountered_date' <= :time ORDER BY id`);
    this.#longAccounts = database.prepareValue(
      `SELECT screen_name FROM history CROSS JOIN account ON account.place = history.first_record
        WHERE records > ? OR octet_length(head) + 1 > ?`,
    );
    this.#accountOf = database.prepare(
      `SELECT screen_name, ${SIZE} FROM account LEFT JOIN history ON history.first_record = account.first_record
        WHERE screen_name = (SELECT json ->> 'account' FROM record WHERE record.id = ?)`,
    );
    this.#textOf = database.prepareValue("SELECT json ->> 'text' FROM record WHERE id = ?");
    this.#timeBefore = database.prepareValue(
      `SELECT json ->> 'first_encountered_date' FROM record
        WHERE account = (SELECT account FROM record WHERE id = :id) AND id < :id ORDER BY id DESC LIMIT 1`,
    );
    this.#holder = database.prepareValue(
      `SELECT screen_name FROM account WHERE screen_name = :handle COLLATE NOCASE AND id <> :id
        ORDER BY screen_name <> :handle, screen_name LIMIT 1`,
    );
    this.#between = database.prepareValue(
      `SELECT CAST(group_concat(json, ',') AS BLOB)
        FROM (SELECT json FROM record WHERE account = ${ACCOUNT_NAMED} AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT -1)`,
    );
  }

  /** Yields the present handle of each account, in the order of the account pages: row numbers depend on the order of imports. */
  *handles(): Generator<HandleOfRow> {
    for (const { id, screen_name } of accountRows(this.#database, 'page', ['id'])) yield { id, handle: screen_name };
  }

  /** Yields the present handles, sorted without regard to case. */
  *byHandle(): Generator<string> {
    for (const { screen_name } of accountRows(this.#database, 'handle', [])) yield screen_name;
  }

  /** Yields the accounts that have a display name, sorted by it without regard to case. */
  *byName(): Generator<NamedAccount> {
    for (const { screen_name, listed_name } of accountRows(this.#database, 'display-name', [])) {
      if (listed_name !== '') yield { screen_name, display_name: listed_name };
    }
  }

  /** Yields the accounts with observations: those that were not seen lately, the last seen one first, and then all others. Reads only an index. */
  byLastSeen(): Generator<SeenAccount> {
    return this.#database.rows<SeenAccount>(
      `SELECT id, screen_name, last_seen FROM account INDEXED BY account_order WHERE (-last_seen, screen_name) > (?, ?)
        ORDER BY -last_seen, screen_name LIMIT +?`,
      [Number.MIN_SAFE_INTEGER, ''],
      ({ last_seen, screen_name }) => [-last_seen, screen_name],
    );
  }

  allFormerHandles(): Generator<HandleOfRow> {
    return this.#database.rows<HandleOfRow & { readonly seen_to: number }>(
      `SELECT account AS id, handle, seen_to FROM former_handle WHERE (handle, seen_to, account) > (?, ?, ?)
        ORDER BY handle, seen_to, account LIMIT +?`,
      ['', -1, 0],
      ({ handle, seen_to, id }) => [handle, seen_to, id],
    );
  }

  /** Returns the present and former handles of the accounts that a later revision than this one changed. */
  handlesChangedSince(revision: number): readonly HandleOfRow[] {
    return this.#database
      .prepare<[number, number], HandleOfRow>(
        `SELECT id, screen_name AS handle FROM account INDEXED BY account_order WHERE revision > ?
          UNION SELECT account, handle FROM former_handle JOIN account ON account.id = account WHERE revision > ?`,
      )
      .all(revision, revision);
  }

  /** Returns the former handles of each account with records, oldest first. */
  namedHandles(): readonly NamedHandle[] {
    return this.#database
      .prepare<[], NamedHandle>(
        `SELECT screen_name, stable_id, handle, seen_to FROM former_handle JOIN account ON account.id = account
          WHERE first_record IS NOT NULL ORDER BY screen_name, seen_to, handle COLLATE BINARY`,
      )
      .all();
  }

  /** Returns the former handles of some accounts, sorted by handle. The last account that had a handle comes first. */
  formerNames(ids: Iterable<number>): readonly FormerName[] {
    return this.#formerNames.all(JSON.stringify([...ids]));
  }

  /**
   * @param since the JSON is read only if a later revision changed the account
   * @throws Failure bad-store if it does not match its checksum, or was last seen at another time than observed
   */
  account(id: number, since: number): StoredAccount {
    const row = this.#account.get({ id, since });
    if (row === undefined) throw damaged(this.#database.path, `no account with the row number ${id}`);
    const { head, tail, checksum, first_record, observed_to, ...account } = row;
    const { path } = this.#database;
    const { last_seen } = account;
    const isWrong = last_seen === SEEN_LATELY ? observed_to === null : last_seen !== observed_to;
    if (isWrong) throw damaged(path, `the account ${account.screen_name} has another last_seen than its observed_to`);
    if (head === null) return { ...account, json: null, intervals: [] };
    const json = Buffer.concat([head, ...this.#parts.json(first_record), Buffer.from(`]${tail}`)]);
    if (crc32(json) + account.records === checksum) return { ...account, json, intervals: intervalsOf(path, row) ?? [] };
    throw damaged(path, `the account ${account.screen_name} does not match its checksum`);
  }

  /** Returns the present handle of another account that has this handle now, in any letter case; undefined if none has it. @param id the row number of the former holder */
  presentHolder(handle: string, id: number): string | undefined {
    return this.#holder.get({ handle, id });
  }

  /** Returns the id and the size of each record of an account, oldest first. */
  sizes(screenName: string): readonly SizeOfRecord[] {
    return this.#sizes.all({ account: screenName });
  }

  /** Returns the same of the records up to a time. @param time without a fraction of a second, such as `2024-03-05T14:03:09Z` */
  sizesUntil(screenName: string, time: string): readonly SizeOfRecord[] {
    return this.#sizesUntil.all({ account: screenName, time });
  }

  /** Returns the handles of the accounts with more records, or more bytes of JSON, than these. */
  longAccounts({ records, bytes }: { readonly records: number; readonly bytes: number }): readonly string[] {
    return this.#longAccounts.all(records, bytes);
  }

  /** Returns the account of a record, and its size; undefined if there is no such record. */
  accountOf(record: number): SizedAccount | undefined {
    return this.#accountOf.get(record);
  }

  /** Returns the text of a record; undefined if there is no such record. */
  textOf(id: number): string | null | undefined {
    return this.#textOf.get(id);
  }

  /** Returns the time of the record of the same account before a record; undefined if that is the first one. */
  timeBefore(id: number): string | undefined {
    return this.#timeBefore.get({ id });
  }

  /** Returns the JSON of the records of an account in a range of ids, newest first, separated by commas. */
  recordsBetween(screenName: string, first: number, last: number): Buffer {
    return this.#between.get(screenName, first, last) ?? Buffer.alloc(0);
  }
}
