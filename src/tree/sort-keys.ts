import { linesIn, writeHashed } from './manifest/lines.ts';

/**
 * The file with the places of the items of a tree, in a few bytes each. Two such files show whether an item moved to an
 * earlier page, without reading the pages.
 *
 * The file begins with a line `data` and the page size. For each page of the feed, a line with the ids of its first and
 * last record follows. Then comes a line `account` and the page size. For each account, in order, a line follows: the id
 * of its first record, as the difference from the one before, or its name in JSON if it has no record.
 */
export const SORT_KEYS = 'sort-keys.txt';

/** The ids of the first and the last record on a page of the feed: the largest and the smallest id. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** The sort key of an account: the id of its first record, or its name. Accounts with a record come first. */
export type AccountKey = number | string;

export interface SortKeys {
  readonly dataPageSize: number;
  readonly accountPageSize: number;
  /** The ranges by page, from the first page. */
  readonly ranges: Iterable<PageRange>;
  readonly accounts: Iterable<AccountKey>;
}

/** @returns the SHA-256 of its bytes, as hexadecimal digits */
export function writeSortKeys(path: string, keys: SortKeys): string {
  return writeHashed(path, linesOf(keys));
}

function* linesOf({ dataPageSize, accountPageSize, ranges, accounts }: SortKeys): Generator<string> {
  yield `data ${dataPageSize}\n`;
  for (const { first, last } of ranges) yield `${first} ${last}\n`;
  yield `account ${accountPageSize}\n`;
  let before = 0;
  for (const key of accounts) {
    yield `${typeof key === 'string' ? JSON.stringify(key) : key - before}\n`;
    if (typeof key === 'number') before = key;
  }
}

/**
 * Reads a file of sort keys. Each iteration over a part reads the file again.
 * @param open returns the file's bytes from the beginning
 * @throws Error if the bytes are not sort keys, or during an iteration if that part is damaged
 */
export function readSortKeys(open: () => Iterable<Buffer>): SortKeys {
  const [dataPageSize, accountPageSize] = [pageSizeIn(open(), 'data'), pageSizeIn(open(), 'account')];
  return {
    dataPageSize,
    accountPageSize,
    ranges: { [Symbol.iterator]: () => rangesIn(open()) },
    accounts: { [Symbol.iterator]: () => accountsIn(open()) },
  };
}

function pageSizeIn(pieces: Iterable<Buffer>, collection: 'data' | 'account'): number {
  for (const line of linesIn(pieces)) {
    if (line.startsWith(collection)) return Number(line.slice(collection.length + 1));
  }
  throw new Error(`${SORT_KEYS} has no line for ${collection}`);
}

function* rangesIn(pieces: Iterable<Buffer>): Generator<PageRange> {
  for (const line of linesIn(pieces)) {
    if (line.startsWith('account ')) return;
    if (line.startsWith('data ')) continue;
    const space = line.indexOf(' ');
    const [first, last] = [Number(line.slice(0, space)), Number(line.slice(space + 1))];
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) throw new Error(`${SORT_KEYS} has a line that is not a range`);
    yield { first, last };
  }
}

function* accountsIn(pieces: Iterable<Buffer>): Generator<AccountKey> {
  let isThere = false;
  let before = 0;
  for (const line of linesIn(pieces)) {
    if (!isThere) isThere = line.startsWith('account ');
    else if (line.startsWith('"')) yield String(JSON.parse(line));
    else {
      before += Number(line);
      if (!Number.isSafeInteger(before)) throw new Error(`${SORT_KEYS} has a line that is not a key`);
      yield before;
    }
  }
}
