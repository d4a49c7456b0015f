import { accountChecksum, pageCountBytes } from './account-checksum.ts';
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

/** Consecutive accounts. For each of them, `parts` has its records, the bytes of its head and of its tail, and its checksum. */
interface RunRow {
  /** A JSON list. */
  readonly keys: string;
  readonly parts: string | null;
  readonly json: Buffer | null;
  /** The sum of their ranking terms. */
  readonly sum: number | null;
}

interface RunQuery {
  readonly pageSize: number;
  readonly after: AccountKey;
  readonly upTo: AccountKey | null;
}

interface StateRow {
  readonly accounts: number;
  readonly revision: number | null;
}

/** The number of accounts that one query reads. */
const ACCOUNTS = 100;
const ALL: AccountRange = { after: undefined, upTo: undefined };
const EMPTY = Buffer.alloc(0);

/** Returns the condition on accounts with records. */
function byPlace(after: string, upTo: string): string {
  return `place > ${after} AND place <= ${upTo}`;
}

/** Returns the condition on accounts without records. A blob is greater than every text. */
function byName(after: string, upTo: string): string {
  return `place = ${NO_RECORD} AND screen_name > ${after} AND screen_name <= ifnull(${upTo}, x'')`;
}

/** Reads the accounts as single items, in the order of the pages. */
export class AccountItems {
  readonly #database: Connection;
  readonly #withRecords: Statement<[RunQuery], RunRow>;
  readonly #withoutRecords: Statement<[RunQuery], RunRow>;
  readonly #stateByPlace: Statement<[number, number], StateRow>;
  readonly #stateByName: Statement<[string, string | null], StateRow>;
  #sum = 0;

  constructor(database: Connection) {
    this.#database = database;
    const pageCount = `',"data_page_count":' || ((records + CAST(:pageSize AS INTEGER) - 1) / CAST(:pageSize AS INTEGER))`;
    const columns = `json_group_array(key) AS keys, CAST(group_concat(head || (${pageCount} || tail), ',') AS BLOB) AS json,
      group_concat(CAST(records AS INTEGER) || ',' || head_bytes || ',' || tail_bytes || ',' || CAST(checksum AS INTEGER)) AS parts, sum(term) AS sum`;
    this.#withRecords = database.prepare(`
      SELECT ${columns}
      FROM (SELECT place AS key, records, head, tail, octet_length(head) AS head_bytes, octet_length(tail) AS tail_bytes, checksum, ${RANKING_TERM} AS term
        FROM (SELECT place, revision, checksum FROM account INDEXED BY account_order WHERE ${byPlace(':after', ':upTo')} ORDER BY place LIMIT ${ACCOUNTS})
          JOIN history ON first_record = place ORDER BY place LIMIT -1)`);
    this.#withoutRecords = database.prepare(`
      SELECT ${columns}
      FROM (SELECT key, 0 AS records, head, tail, octet_length(head) AS head_bytes, octet_length(tail) AS tail_bytes, checksum, term
        FROM (SELECT screen_name AS key, rtrim(identity, '}') || ',"data":[]' AS head, ',' || ltrim(summary, '{') AS tail, checksum, ${RANKING_TERM} AS term
          FROM account INDEXED BY account_order WHERE ${byName(':after', ':upTo')} ORDER BY screen_name LIMIT ${ACCOUNTS}))`);
    const state = 'SELECT count(*) AS accounts, max(revision) AS revision FROM account INDEXED BY account_order WHERE';
    this.#stateByPlace = database.prepare(`${state} ${byPlace('?', '?')}`);
    this.#stateByName = database.prepare(`${state} ${byName('?', '?')}`);
  }

  /**
   * Yields accounts, and compares each with its checksum.
   * @param pageSize the number of records on a page of the feed
   * @throws Failure bad-store
   */
  *read(pageSize: number, { after, upTo }: AccountRange = ALL): Generator<ItemRun<AccountKey>, void> {
    if (typeof after !== 'string') {
      const query = { pageSize, after: after ?? -1, upTo: typeof upTo === 'number' ? upTo : NO_RECORD - 1 };
      yield* this.#runs(this.#withRecords, query);
    }
    if (typeof upTo !== 'number') {
      const query = { pageSize, after: typeof after === 'string' ? after : '', upTo: upTo ?? null };
      yield* this.#runs(this.#withoutRecords, query);
    }
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

  *#runs(next: Statement<[RunQuery], RunRow>, query: RunQuery): Generator<ItemRun<AccountKey>, void> {
    for (let edge = query.after; ; ) {
      const run = this.#runOf(next.get({ ...query, after: edge }), query.pageSize);
      const last = run.keys.at(-1);
      if (last === undefined) return;
      // a damaged index could make a walk endless
      if (typeof last === 'number' ? last <= Number(edge) : last === edge) throw damaged(this.#database.path, 'accounts out of order');
      edge = last;
      yield run;
    }
  }

  #runOf(row: RunRow | undefined, pageSize: number): ItemRun<AccountKey> {
    const keys: readonly AccountKey[] = JSON.parse(row?.keys ?? '[]');
    const parts: readonly number[] = JSON.parse(`[${row?.parts ?? ''}]`);
    const json = row?.json ?? EMPTY;
    const lengths: number[] = [];
    let start = 0;
    for (const [index, key] of keys.entries()) {
      const [records = 0, head = 0, tail = 0, checksum] = parts.slice(index * 4, index * 4 + 4);
      const end = start + head + pageCountBytes(records, pageSize) + tail;
      if (accountChecksum(json.subarray(start, start + head), json.subarray(end - tail, end), records) !== checksum)
        throw damaged(this.#database.path, `the account with the key ${key} does not match its checksum`);
      lengths.push(end - start);
      start = end + 1;
    }
    this.#sum += row?.sum ?? 0;
    return { keys, lengths, json };
  }
}
