import type { FeedCursor } from '../../store/feed/feed-cursor.ts';
import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import { type ByteText, encode, parseByteJson } from '../markup.ts';

/** The number of accounts in the list of a month. */
const LISTED = 10;
/** The number of records that are read at once. */
const READ_AT_ONCE = 1000;

/** The accounts with the most changes in a month. */
export interface MostChanged {
  /** The number of accounts with changes. */
  readonly all: number;
  /** Those with the most, in order. Accounts with equally many are sorted by present handle. */
  readonly first: readonly { readonly account: ByteText; readonly changes: number }[];
  /** The number of accounts after them with equally many changes, and this number of changes. Only some of them would fit into the list. */
  readonly tied: { readonly accounts: number; readonly changes: number } | undefined;
}

/** Consecutive records: the numbers of newer records before the first and before the last of them. */
interface Run {
  readonly first: number;
  last: number;
}

/** Where the records of each month are in the feed, and the accounts that they are of. */
export class MonthRecords {
  readonly #feed: (after: number) => FeedCursor;
  /** The runs of each month, newest first. A run can have some records of other months. */
  readonly #runs = new Map<string, Run[]>();
  /** That of the last record. */
  #month = '-';

  /** @param feed returns a cursor over the feed that begins after a number of its newest records */
  constructor(feed: (after: number) => FeedCursor) {
    this.#feed = feed;
  }

  /** Adds a record. @param before the number of newer records */
  readonly add: FeedVisitor = ({ date }, before) => {
    // the next record is mostly of the same month
    if (!date.startsWith(this.#month)) this.#month = date.slice(0, 7);
    const runs = this.#runs.get(this.#month);
    const last = runs?.at(-1);
    if (runs === undefined) this.#runs.set(this.#month, [{ first: before, last: before }]);
    else if (last !== undefined && before - last.last <= READ_AT_ONCE) last.last = before;
    else runs.push({ first: before, last: before });
  };

  /** Whether any of the newest records is in a month, and whether all records of the month are among them. */
  newest(month: string, records: number): { readonly some: boolean; readonly all: boolean } {
    const runs = this.#runs.get(month) ?? [];
    return { some: runs.slice(0, 1).some(({ first }) => first < records), all: runs.slice(-1).some(({ last }) => last < records) };
  }

  /**
   * Reads the records of a month. Memory holds the handle of each account with changes in it.
   * @throws Failure bad-store
   */
  mostChanged(month: string): MostChanged {
    const counts = new Map<string, number>();
    for (const { first, last } of this.#runs.get(month) ?? []) {
      const cursor = this.#feed(first);
      for (let at = first; at <= last; at += READ_AT_ONCE)
        countChanges(cursor.take(Math.min(READ_AT_ONCE, last - at + 1)).json, month, counts);
    }
    const accounts = Array.from(counts, ([account, changes]) => ({ account, changes }));
    accounts.sort((one, other) => other.changes - one.changes || (one.account < other.account ? -1 : 1));
    const isTied = accounts[LISTED - 1]?.changes === accounts[LISTED]?.changes;
    const least = isTied ? (accounts[LISTED]?.changes ?? 0) : 0;
    const listed = accounts.slice(0, LISTED).filter(({ changes }) => changes > least);
    const first = listed.map(({ account, changes }) => ({ account: parseByteJson(`"${account}"`), changes }));
    const tied = accounts.filter(({ changes }) => changes === least).length;
    return { all: accounts.length, first, tied: tied === 0 ? undefined : { accounts: tied, changes: least } };
  }
}

const CHANGE = /"account":"((?:[^"\\]|\\.)*)","data_type":"[^"]*","previous":\d/g;
const DATE = '"first_encountered_date":"';

/** Counts the changes of a month by account. Quotes in texts are escaped, so a text cannot match. @param counts by the JSON of the handle */
function countChanges(json: Buffer, month: string, counts: Map<string, number>): void {
  const text = json.toString('latin1');
  for (const { 1: account = '', index } of text.matchAll(CHANGE)) {
    if (!text.startsWith(month, text.indexOf(DATE, index) + DATE.length)) continue;
    const known = counts.get(account);
    // a copy, because the part of a text keeps the whole text in memory
    if (known === undefined) counts.set(encode(account).toString('latin1'), 1);
    else counts.set(account, known + 1);
  }
}
