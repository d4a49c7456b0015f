import { type FormerHandle, sortedHandles } from '../contract/account-state.ts';
import { accountChecksum } from './account-checksum.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged } from './damaged.ts';

/** An account as the store has it. */
export interface StoredAccount {
  readonly id: number;
  readonly screen_name: string;
  /** The newest revision that changed the account. */
  readonly revision: number;
  /** The number of its records. */
  readonly records: number;
  /** The length of the JSON of its records, in bytes. */
  readonly bytes: number;
  /** The JSON of the account with all its records, newest first; null: the account is not newer than requested. */
  readonly json: Buffer | null;
}

/** A handle that an account had before its present one. */
export interface FormerName {
  readonly handle: string;
  /** The account that had it. */
  readonly screen_name: string;
  readonly seen_to: number;
}

/** A handle of the account with a row number. */
export interface HandleOfRow {
  readonly id: number;
  readonly handle: string;
}

interface Row extends StoredAccount {
  readonly checksum: number | null;
}

/** The number of accounts that one query reads. */
const BATCH_SIZE = 1000;

/** Reads single accounts. */
export class StoredAccounts {
  readonly #path: string;
  readonly #formerHandleCount: number;
  readonly #next: Statement<[number, number], HandleOfRow>;
  readonly #account: Statement<[{ id: number; since: number }], Row>;
  readonly #formerHandles: Statement<[number], FormerHandle>;
  readonly #nextFormer: Statement<[string, number, number, number], HandleOfRow & { readonly seen_to: number }>;
  readonly #formerNames: Statement<[string], FormerName>;
  readonly #sizes: Statement<[string], { readonly id: number; readonly bytes: number }>;
  readonly #between: Statement<[string, number, number], Buffer | null>;

  constructor(database: Connection) {
    this.#path = database.path;
    // accounts are not read in the order in which they are stored: with a smaller cache, most pages would be read several times
    database.exec('PRAGMA cache_size = -8192');
    this.#formerHandleCount = Number(database.value('SELECT count(*) FROM former_handle'));
    this.#next = database.prepare('SELECT id, screen_name AS handle FROM account WHERE id > ? ORDER BY id LIMIT +?');
    this.#account = database.prepare(`
      SELECT account.id, screen_name, revision, checksum, ifnull(records, 0) AS records, ifnull(octet_length(head), 0) AS bytes,
        iif(revision > :since, CAST(ifnull(head || tail, rtrim(identity, '}') || ',"data":[],' || ltrim(summary, '{')) AS BLOB), NULL) AS json
      FROM account LEFT JOIN history ON history.first_record = account.first_record WHERE account.id = :id`);
    this.#formerHandles = database.prepare('SELECT handle, seen_to FROM former_handle WHERE account = ?');
    this.#nextFormer = database.prepare(
      `SELECT account AS id, handle, seen_to FROM former_handle WHERE (handle, seen_to, account) > (?, ?, ?)
        ORDER BY handle, seen_to, account LIMIT +?`,
    );
    this.#formerNames = database.prepare(
      `SELECT handle, screen_name, seen_to FROM former_handle JOIN account ON account.id = account
        WHERE account IN (SELECT value FROM json_each(?)) ORDER BY handle, seen_to DESC, screen_name`,
    );
    this.#sizes = database.prepare('SELECT id, octet_length(json) AS bytes FROM record WHERE account = ? ORDER BY id');
    this.#between = database
      .prepare<[string, number, number], Buffer | null>(`
        SELECT CAST(group_concat(json, ',') AS BLOB) FROM (
          SELECT json FROM record WHERE account = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT -1)`)
      .pluck();
  }

  /** Yields the present handle of each account. */
  *handles(): Generator<HandleOfRow> {
    for (let rows = this.#next.all(-1, BATCH_SIZE); rows.length > 0; rows = this.#next.all(rows.at(-1)?.id ?? 0, BATCH_SIZE)) yield* rows;
  }

  /** The number of former handles. */
  get formerHandleCount(): number {
    return this.#formerHandleCount;
  }

  /** Yields each former handle with the account that had it. */
  *allFormerHandles(): Generator<HandleOfRow> {
    for (let rows = this.#nextFormer.all('', -1, 0, BATCH_SIZE); rows.length > 0; ) {
      yield* rows;
      const { handle, seen_to, id } = rows.at(-1) ?? { handle: '', seen_to: 0, id: 0 };
      rows = this.#nextFormer.all(handle, seen_to, id, BATCH_SIZE);
    }
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
    if (account === undefined) throw damaged(this.#path, `no account with the row number ${id}`);
    const { json, records, checksum } = account;
    if (json === null || accountChecksum(json, '', records) === checksum) return account;
    throw damaged(this.#path, `the account ${account.screen_name} does not match its checksum`);
  }

  /** Returns the former handles of an account, sorted by time. */
  formerHandles(id: number): readonly FormerHandle[] {
    return this.#formerHandleCount > 0 ? sortedHandles(this.#formerHandles.all(id)) : [];
  }

  /** Returns the id and the size of each record of an account, oldest first. */
  sizes(screenName: string): readonly { readonly id: number; readonly bytes: number }[] {
    return this.#sizes.all(screenName);
  }

  /** Returns the JSON of the records of an account in a range of ids, newest first, separated by commas. */
  recordsBetween(screenName: string, first: number, last: number): Buffer {
    return this.#between.get(screenName, first, last) ?? Buffer.alloc(0);
  }
}
