import { accountChecksum } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';
import { AccountReader } from './account-reader.ts';
import { type AccountRow, accountRows } from './account-rows.ts';

/** An account with its records. */
export interface StoredAccount extends Pick<AccountRow, 'id' | 'screen_name' | 'records'> {
  /** The length of the JSON of its records, in bytes. */
  readonly bytes: number;
  /** The JSON of the account with all its records, newest first; null: the account is not newer than requested. */
  readonly json: Buffer | null;
}

/** A handle that an account had before its present one. */
export interface FormerName extends Pick<StoredAccount, 'screen_name' | 'records' | 'bytes'> {
  readonly handle: string;
  readonly seen_to: number;
}

/** The size of a record in the store. */
export interface SizeOfRecord {
  readonly id: number;
  /** The length of its JSON without the handle of its account, in bytes. */
  readonly bytes: number;
}

/** A handle of the account with a row number. */
export interface HandleOfRow {
  readonly id: number;
  readonly handle: string;
}

/** The number and the bytes of the records of an account. */
const SIZE = 'ifnull(records, 0) AS records, ifnull(octet_length(head), 0) AS bytes';
const SIZES = 'SELECT id, octet_length(json) - octet_length(:account) AS bytes FROM record WHERE account = :account';

/** Reads single accounts with their records. */
export class StoredAccounts extends AccountReader {
  readonly #database: Connection;
  readonly #account: Statement<[{ id: number; since: number }], StoredAccount & Pick<AccountRow, 'checksum'>>;
  readonly #formerNames: Statement<[string], FormerName>;
  readonly #sizes: Statement<[{ account: string }], SizeOfRecord>;
  readonly #sizesUntil: Statement<[{ account: string; time: string }], SizeOfRecord>;
  readonly #longAccounts: Statement<[number, number], string>;
  readonly #between: Statement<[string, number, number], Buffer | null>;

  constructor(database: Connection) {
    super(database);
    this.#database = database;
    // accounts are not read in the order in which they are stored: with a smaller cache, most pages would be read several times
    database.exec('PRAGMA cache_size = -8192');
    this.#account = database.prepare(`
      SELECT account.id, screen_name, checksum, ${SIZE},
        iif(revision > :since, CAST(ifnull(head || tail, rtrim(identity, '}') || ',"data":[],' || ltrim(summary, '{')) AS BLOB), NULL) AS json
      FROM account LEFT JOIN history ON history.first_record = account.first_record WHERE account.id = :id`);
    this.#formerNames = database.prepare(
      `SELECT handle, screen_name, seen_to, ${SIZE}
        FROM former_handle JOIN account ON account.id = account LEFT JOIN history ON history.first_record = account.first_record
        WHERE account IN (SELECT value FROM json_each(?)) ORDER BY handle, seen_to DESC, screen_name`,
    );
    this.#sizes = database.prepare(`${SIZES} ORDER BY id`);
    this.#sizesUntil = database.prepare(`${SIZES} AND first_encountered_date <= :time ORDER BY id`);
    this.#longAccounts = database.prepareValue(
      `SELECT screen_name FROM history CROSS JOIN account ON account.place = history.first_record
        WHERE records > ? OR octet_length(head) > ?`,
    );
    this.#between = database.prepareValue(
      `SELECT CAST(group_concat(json, ',') AS BLOB)
        FROM (SELECT json FROM record WHERE account = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT -1)`,
    );
  }

  /** Yields the present handle of each account, in the order of the account pages: row numbers depend on the order of imports. */
  *handles(): Generator<HandleOfRow> {
    for (const { id, screen_name } of accountRows(this.#database, 'page', [])) yield { id, handle: screen_name };
  }

  /** Yields each former handle with the account that had it. */
  allFormerHandles(): Generator<HandleOfRow> {
    return this.#database.rows<HandleOfRow & { readonly seen_to: number }>(
      `SELECT account AS id, handle, seen_to FROM former_handle WHERE (handle, seen_to, account) > (?, ?, ?)
        ORDER BY handle, seen_to, account LIMIT +?`,
      ['', -1, 0],
      ({ handle, seen_to, id }) => [handle, seen_to, id],
    );
  }

  /** Returns the former handles of some accounts, sorted by handle. The last account that had a handle comes first. */
  formerNames(ids: Iterable<number>): readonly FormerName[] {
    return this.#formerNames.all(JSON.stringify([...ids]));
  }

  /**
   * Returns an account by its row number.
   * @param since the JSON is read only if a later revision changed the account
   * @throws Failure bad-store if it does not match its checksum
   */
  account(id: number, since: number): StoredAccount {
    const account = this.#account.get({ id, since });
    if (account === undefined) throw damaged(this.#database.path, `no account with the row number ${id}`);
    const { json, records, checksum } = account;
    if (json === null || accountChecksum(json, '', records) === checksum) return account;
    throw damaged(this.#database.path, `the account ${account.screen_name} does not match its checksum`);
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

  /** Returns the JSON of the records of an account in a range of ids, newest first, separated by commas. */
  recordsBetween(screenName: string, first: number, last: number): Buffer {
    return this.#between.get(screenName, first, last) ?? Buffer.alloc(0);
  }
}
