import type { Connection, Statement } from './connection.ts';
import type { End } from './end.ts';
import { NO_RECORD } from './schema.ts';

/** A run of accounts in order: known by its ends, read only when asked for. */
export interface AccountRun {
  /** The newest revision that changed one of them. */
  readonly revision: number;
  /**
   * The accounts' JSON with commas between.
   * @param pageSize how many records fill a page: `data_page_count` is how many pages an account's would
   */
  readonly read: (pageSize: number) => Buffer;
}

/** A position in the order: beyond one account, before the next. */
interface Edge {
  readonly place: number;
  readonly screen_name: string;
}

/** What is known of a run without reading it. */
interface Bounds {
  readonly revision: number | null;
  /** The first records of its first account and of the last that has any. */
  readonly low: number;
  readonly high: number | null;
  /** The names of its first and last account without records. */
  readonly first_name: string | null;
  readonly last_name: string | null;
}

const START: Edge = { place: -1, screen_name: '' };
const BEYOND: Edge = { place: NO_RECORD + 2, screen_name: '' };
const NOTHING = Buffer.alloc(0);

/** Reads the accounts (by their first record; those without records last, by name) inward from one end. */
export class AccountCursor {
  readonly #end: End;
  #edge: Edge;
  readonly #bounds: Statement<[number, string, number], Bounds>;
  readonly #withRecords: Statement<[{ pageSize: number; low: number; high: number }], Buffer | null>;
  readonly #withoutRecords: Statement<[string, string], Buffer | null>;

  constructor(database: Connection, end: End) {
    const [side, direction] = end === 'first' ? ['>', 'ASC'] : ['<', 'DESC'];
    this.#end = end;
    this.#edge = end === 'first' ? START : BEYOND;
    this.#bounds = database.prepare(`
      SELECT max(revision) AS revision, min(place) AS low, max(nullif(place, ${NO_RECORD})) AS high,
        min(iif(place = ${NO_RECORD}, screen_name, NULL)) AS first_name,
        max(iif(place = ${NO_RECORD}, screen_name, NULL)) AS last_name
      FROM (SELECT place, screen_name, revision FROM account INDEXED BY account_order
        WHERE (place, screen_name) ${side} (?, ?) ORDER BY place ${direction}, screen_name ${direction} LIMIT +?)`);
    this.#withRecords = database
      .prepare<[{ pageSize: number; low: number; high: number }], Buffer | null>(`
        SELECT CAST(group_concat(head || (',"data_page_count":' || ((records + CAST(:pageSize AS INTEGER) - 1) / CAST(:pageSize AS INTEGER)) || tail), ',') AS BLOB)
        FROM (SELECT records, head, tail FROM history WHERE first_record BETWEEN :low AND :high ORDER BY first_record LIMIT -1)`)
      .pluck();
    this.#withoutRecords = database
      .prepare<[string, string], Buffer | null>(`
        SELECT CAST(group_concat(rtrim(identity, '}') || ',"data":[],"data_page_count":0,' || ltrim(summary, '{'), ',') AS BLOB)
        FROM (SELECT identity, summary FROM account INDEXED BY account_order
          WHERE place = ${NO_RECORD} AND screen_name BETWEEN ? AND ? ORDER BY screen_name LIMIT -1)`)
      .pluck();
  }

  /** The next accounts: at most as many as asked for. */
  take(accounts: number): AccountRun {
    const bounds = this.#bounds.get(this.#edge.place, this.#edge.screen_name, accounts);
    if (bounds === undefined || bounds.revision === null) return { revision: 0, read: () => NOTHING };
    this.#edge = this.#end === 'first' ? after(bounds) : before(bounds);
    return { revision: bounds.revision, read: (pageSize) => this.#read(bounds, pageSize) };
  }

  #read({ low, high, first_name, last_name }: Bounds, pageSize: number): Buffer {
    const withRecords = high === null ? NOTHING : (this.#withRecords.get({ pageSize, low, high }) ?? NOTHING);
    if (first_name === null || last_name === null) return withRecords;
    const withoutRecords = this.#withoutRecords.get(first_name, last_name) ?? NOTHING;
    return high === null ? withoutRecords : Buffer.concat([withRecords, Buffer.from(','), withoutRecords]);
  }
}

/** No two accounts have the same first record, and no name is empty: so nothing lies between. */
function after({ low, high, last_name }: Bounds): Edge {
  return last_name === null ? { place: (high ?? low) + 1, screen_name: '' } : { place: NO_RECORD, screen_name: last_name };
}

function before({ low, first_name }: Bounds): Edge {
  return low === NO_RECORD ? { place: NO_RECORD, screen_name: first_name ?? '' } : { place: low, screen_name: '' };
}
