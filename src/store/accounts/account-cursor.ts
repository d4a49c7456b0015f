import { crc32 } from 'node:zlib';
import { NO_RECORD, RANKING_MODULUS, RANKING_TERM } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { PART_RECORDS } from '../database/schema.ts';
import { damaged } from '../database/store-error.ts';
import { HistoryParts } from '../histories/history-parts.ts';

/** Consecutive accounts. Only their bounds are known until `read` is called. */
export interface AccountRun {
  /** The newest revision that changed one of the accounts; 0: there is no account. */
  readonly revision: number;
  /** The first record of the first account; infinite without records. */
  readonly first: number;
  /**
   * Yields the JSON of the accounts in pieces, separated by commas.
   * @param pageSize the number of records on a page: `data_page_count` is the number of pages for the records of an account
   * @throws Failure bad-store if an account does not match its checksum
   */
  readonly read: (pageSize: number) => Iterable<Buffer>;
}

/** A position between two accounts in their order. */
interface Edge {
  readonly place: number;
  readonly screen_name: string;
}

/** The facts about consecutive accounts that the index contains. */
interface Bounds {
  readonly accounts: number;
  /** The sum of their checksums, and the sum of their ranking terms. */
  readonly checksums: number;
  readonly terms: number;
  readonly revision: number | null;
  /** The first record of the first account, and the first record of the last account with records. */
  readonly low: number;
  readonly high: number | null;
  /** The names of the first and the last account without records. */
  readonly first_name: string | null;
  readonly last_name: string | null;
}

const START: Edge = { place: -1, screen_name: '' };
const COMMA = Buffer.from(',');

/** Consecutive accounts, without their records in parts. */
interface Contents {
  /** Their JSON, separated by commas. */
  readonly json: Buffer;
  /** For each of them, as JSON: {@link Lengths}. */
  readonly lengths: string;
  /** The first record of the last of them. */
  readonly last: number;
}

/** The first record of an account, the number of its records, and the bytes of its head and tail: see the table `history`. */
type Lengths = readonly [first: number, records: number, head: number, tail: number];

/** The accounts that are in memory at a time: each can have half a megabyte without its parts. */
const READ_ACCOUNTS = 20;

/** The number and the sum of the accounts that a cursor has taken. */
export interface AccountTotals {
  readonly accounts: number;
  readonly sum: number;
}

/** Reads the accounts. They are sorted by their first record. Accounts without records follow, sorted by name. */
export class AccountCursor {
  readonly #path: string;
  #edge: Edge = START;
  #accounts = 0;
  #sum = 0;
  readonly #bounds: Statement<[number, string, number], Bounds>;
  readonly #last: Statement<[number, string, number], Edge>;
  readonly #withRecords: Statement<[number, number | null, number | null], Contents | { readonly json: null }>;
  readonly #withoutRecords: Statement<[number, string | null, string | null], Contents | { readonly json: null }>;
  readonly #parts: HistoryParts;

  constructor(database: Connection) {
    this.#path = database.path;
    this.#bounds = database.prepare(`
      SELECT count(*) AS accounts, sum(checksum) AS checksums, sum(${RANKING_TERM}) AS terms,
        max(revision) AS revision, min(place) AS low, max(nullif(place, ${NO_RECORD})) AS high,
        min(iif(place = ${NO_RECORD}, screen_name, NULL)) AS first_name,
        max(iif(place = ${NO_RECORD}, screen_name, NULL)) AS last_name
      FROM (SELECT place, screen_name, revision, checksum FROM account INDEXED BY account_order
        WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?)`);
    this.#last = database.prepare(`SELECT place, screen_name FROM account INDEXED BY account_order
      WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT 1 OFFSET +?`);
    const contents = `SELECT CAST(group_concat(head || '],"data_page_count":' || CAST(ceil(records / ?) AS INTEGER) || tail, ',') AS BLOB) AS json,
      json_group_array(json_array(first_record, records, octet_length(head), octet_length(tail))) AS lengths, max(first_record) AS last`;
    this.#withRecords = database.prepare(`${contents}
      FROM (SELECT first_record, records, head, tail FROM history WHERE first_record BETWEEN ? AND ? ORDER BY first_record LIMIT ${READ_ACCOUNTS})`);
    this.#withoutRecords = database.prepare(`${contents}
      FROM (SELECT 0 AS first_record, 0 AS records, rtrim(identity, '}') || ',"data":[' AS head, ',' || ltrim(summary, '{') AS tail
        FROM account INDEXED BY account_order WHERE place = ${NO_RECORD} AND screen_name BETWEEN ? AND ? ORDER BY screen_name LIMIT -1)`);
    this.#parts = new HistoryParts(database);
  }

  /**
   * Takes the next accounts: at most as many as requested.
   * @throws Failure bad-store
   */
  take(accounts: number): AccountRun {
    const bounds = this.#bounds.get(this.#edge.place, this.#edge.screen_name, accounts);
    if (bounds === undefined || bounds.revision === null) return { revision: 0, first: Number.POSITIVE_INFINITY, read: () => [] };
    this.#advance(after(bounds));
    this.#accounts += bounds.accounts;
    this.#sum = (this.#sum + bounds.terms) % RANKING_MODULUS;
    const first = bounds.low === NO_RECORD ? Number.POSITIVE_INFINITY : bounds.low;
    return { revision: bounds.revision, first, read: (pageSize) => this.#read(bounds, pageSize) };
  }

  /** Goes past accounts without taking them. Begins new totals. */
  skip(accounts: number): void {
    [this.#accounts, this.#sum] = [0, 0];
    if (accounts > 0) this.#edge = this.#last.get(this.#edge.place, this.#edge.screen_name, accounts - 1) ?? this.#edge;
  }

  /** The number of accounts taken since the start or the last skip, and their sum. The sum detects a changed place, revision or checksum. */
  get taken(): AccountTotals {
    return { accounts: this.#accounts, sum: this.#sum };
  }

  *#read(bounds: Bounds, pageSize: number): Generator<Buffer> {
    let [accounts, checksums] = [0, 0];
    for (const { json, lengths } of this.#contents(bounds, pageSize)) {
      if (accounts > 0) yield COMMA;
      let [yielded, at] = [0, 0];
      const all: readonly Lengths[] = JSON.parse(lengths);
      for (const [first, records, head, tail] of all) {
        let crc = crc32(json.subarray(at, at + head));
        at += head;
        if (records > PART_RECORDS) {
          yield json.subarray(yielded, at);
          for (const part of this.#parts.json(first)) {
            crc = crc32(part, crc);
            yield part;
          }
          yielded = at;
        }
        at += `],"data_page_count":${Math.ceil(records / pageSize)}`.length;
        checksums += crc32(json.subarray(at, at + tail), crc32(']', crc)) + records;
        at += tail + COMMA.length;
        accounts += 1;
      }
      yield json.subarray(yielded);
    }
    if (accounts !== bounds.accounts || checksums !== bounds.checksums) throw this.#mismatch(bounds);
  }

  *#contents({ low, high, first_name, last_name }: Bounds, pageSize: number): Generator<Contents> {
    let from = low;
    for (
      let contents = this.#withRecords.get(pageSize, from, high);
      contents?.json;
      contents = this.#withRecords.get(pageSize, from, high)
    ) {
      yield contents;
      from = contents.last + 1;
    }
    const others = this.#withoutRecords.get(pageSize, first_name, last_name);
    if (others?.json) yield others;
  }

  #mismatch({ low, first_name }: Bounds) {
    const which = low === NO_RECORD ? `from ${first_name} on` : `from the account of record ${low} on`;
    return damaged(this.#path, `accounts ${which} do not match their checksums`);
  }

  /** Checks that the walk moves on: a damaged index could make it endless. */
  #advance(edge: Edge): void {
    const { place, screen_name } = this.#edge;
    const isOnward = place < edge.place || (place === edge.place && screen_name !== edge.screen_name);
    if (!isOnward) throw damaged(this.#path, 'accounts out of order');
    this.#edge = edge;
  }
}

/** No two accounts have the same first record, and no name is empty. So the edge skips no account. */
function after({ low, high, last_name }: Bounds): Edge {
  return last_name === null ? { place: (high ?? low) + 1, screen_name: '' } : { place: NO_RECORD, screen_name: last_name };
}
