import { accountChecksum } from './account-checksum.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged } from './damaged.ts';
import type { ItemRun } from './item-run.ts';
import { NO_RECORD, RANKING_TERM } from './schema.ts';

/** The place of an account in the order: the id of its first record, or its name if it has no record. Numbers come first. */
export type AccountKey = number | string;

/** The accounts between two keys. */
export interface AccountRange {
  /** The account before the first one of the range; undefined to begin with the first account of all. */
  readonly after: AccountKey | undefined;
  /** The last account of the range; undefined to end with the last account of all. */
  readonly upTo: AccountKey | undefined;
}

/** What the index knows about the accounts in a range. */
export interface RangeState {
  readonly accounts: number;
  /** The newest revision that changed one of the accounts; 0 if there are none. */
  readonly revision: number;
}

interface AccountRow<Key extends AccountKey> {
  readonly key: Key;
  readonly records: number;
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly checksum: number;
  readonly term: number;
}

interface StateRow {
  readonly accounts: number;
  readonly revision: number | null;
}

/** The number of accounts that one query reads. */
const ACCOUNTS = 100;
const ALL: AccountRange = { after: undefined, upTo: undefined };
const COMMA = Buffer.from(',');

/** The condition on accounts with records, and the one on accounts without. A blob is greater than every text. */
const BY_PLACE = 'place > ? AND place <= ?';
const BY_NAME = `place = ${NO_RECORD} AND screen_name > ? AND screen_name <= ifnull(?, x'')`;

/** Reads the accounts as single items, in the order of the pages. */
export class AccountItems {
  readonly #database: Connection;
  readonly #withRecords: Statement<[number, number, number], AccountRow<number>>;
  readonly #withoutRecords: Statement<[string, string | null, number], AccountRow<string>>;
  readonly #stateByPlace: Statement<[number, number], StateRow>;
  readonly #stateByName: Statement<[string, string | null], StateRow>;
  #sum = 0;

  constructor(database: Connection) {
    this.#database = database;
    this.#withRecords = database.prepare(`
      SELECT place AS key, records, CAST(head AS BLOB) AS head, CAST(tail AS BLOB) AS tail, checksum, ${RANKING_TERM} AS term
      FROM (SELECT place, revision, checksum FROM account INDEXED BY account_order WHERE ${BY_PLACE} ORDER BY place LIMIT +?)
        JOIN history ON first_record = place ORDER BY place`);
    this.#withoutRecords = database.prepare(`
      SELECT screen_name AS key, 0 AS records, CAST(rtrim(identity, '}') || ',"data":[]' AS BLOB) AS head,
        CAST(',' || ltrim(summary, '{') AS BLOB) AS tail, checksum, ${RANKING_TERM} AS term
      FROM account INDEXED BY account_order WHERE ${BY_NAME} ORDER BY screen_name LIMIT +?`);
    const state = 'SELECT count(*) AS accounts, max(revision) AS revision FROM account INDEXED BY account_order WHERE';
    this.#stateByPlace = database.prepare(`${state} ${BY_PLACE}`);
    this.#stateByName = database.prepare(`${state} ${BY_NAME}`);
  }

  /**
   * Yields accounts, and compares each with its checksum.
   * @param pageSize the number of records on a page of the feed
   * @throws Failure bad-store
   */
  *read(pageSize: number, { after, upTo }: AccountRange = ALL): Generator<ItemRun<AccountKey>, void> {
    if (typeof after !== 'string') yield* this.#readByPlace(pageSize, after ?? -1, typeof upTo === 'number' ? upTo : NO_RECORD - 1);
    if (typeof upTo !== 'number') yield* this.#readByName(pageSize, typeof after === 'string' ? after : '', upTo ?? null);
  }

  /** The sum over all accounts read, see RANKING_TERM. */
  get sum(): number {
    return this.#sum;
  }

  /** Returns what the index knows about the accounts in a range, without reading them. */
  state({ after, upTo }: AccountRange): RangeState {
    let [accounts, revision] = [0, 0];
    const add = (row: StateRow | undefined) => {
      accounts += row?.accounts ?? 0;
      revision = Math.max(revision, row?.revision ?? 0);
    };
    if (typeof after !== 'string') add(this.#stateByPlace.get(after ?? -1, typeof upTo === 'number' ? upTo : NO_RECORD - 1));
    if (typeof upTo !== 'number') add(this.#stateByName.get(typeof after === 'string' ? after : '', upTo ?? null));
    return { accounts, revision };
  }

  *#readByPlace(pageSize: number, after: number, upTo: number): Generator<ItemRun<number>, void> {
    for (let edge = after; ; ) {
      const rows = this.#withRecords.all(edge, upTo, ACCOUNTS);
      const last = rows.at(-1)?.key;
      if (last === undefined) return;
      yield this.#runOf(rows, pageSize);
      if (last <= edge) throw this.#outOfOrder();
      edge = last;
    }
  }

  *#readByName(pageSize: number, after: string, upTo: string | null): Generator<ItemRun<string>, void> {
    for (let edge = after; ; ) {
      const rows = this.#withoutRecords.all(edge, upTo, ACCOUNTS);
      const last = rows.at(-1)?.key;
      if (last === undefined) return;
      yield this.#runOf(rows, pageSize);
      if (last === edge) throw this.#outOfOrder();
      edge = last;
    }
  }

  /** A damaged index could make a walk endless. */
  #outOfOrder() {
    return damaged(this.#database.path, 'accounts out of order');
  }

  #runOf<Key extends AccountKey>(rows: readonly AccountRow<Key>[], pageSize: number): ItemRun<Key> {
    const pieces: Buffer[] = [];
    const lengths: number[] = [];
    for (const { key, records, head, tail, checksum, term } of rows) {
      if (accountChecksum(head, tail, records) !== checksum)
        throw damaged(this.#database.path, `the account with the key ${key} does not match its checksum`);
      const count = Buffer.from(`,"data_page_count":${Math.ceil(records / pageSize)}`);
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(head, count, tail);
      lengths.push(head.length + count.length + tail.length);
      this.#sum += term;
    }
    return { keys: rows.map(({ key }) => key), lengths, json: Buffer.concat(pieces) };
  }
}
