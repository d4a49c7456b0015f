import type { Collection } from '../contract/pages/collection.ts';
import type { AccountKey, PageRange, SortKeys } from './sort-keys.ts';

/** How items move among a collection's pages from one tree to the next. */
export interface CollectionMovement {
  /** The number of pages of the older tree with an item that is, or may be, on an earlier page in the newer tree. */
  readonly forward: number;
  /** The first of these pages; 0 if there are none. */
  readonly firstForward: number;
  /** The largest number of pages by which an item moves back. */
  readonly shift: number;
  /** By page of the older tree, from index 1: 1 if an item of that page is on another page in the newer tree. */
  readonly leaving: Uint8Array;
}

export type Movement = { readonly [C in Collection]: CollectionMovement };

/**
 * Compares the places of items in two trees. Build and publish share this rule: a reader who follows `next` can miss
 * an item that moves to an earlier page, in whatever order the pages are exchanged.
 */
export function movementBetween(older: SortKeys, newer: SortKeys): Movement {
  return { data: feedMovement(older.ranges, newer.ranges), account: accountMovement(older, newer) };
}

/** Collects the movements of a collection. Takes one byte of memory per page. */
class Tally {
  forward = 0;
  firstForward = 0;
  shift = 0;
  #leaving = new Uint8Array(64);
  #pages = 0;
  #lastForward = 0;

  /** Notes that an item, or a range between two items, moved from one page to another. */
  moved(from: number, to: number): void {
    if (from >= this.#leaving.length) {
      const grown = new Uint8Array(2 * from);
      grown.set(this.#leaving);
      this.#leaving = grown;
    }
    this.#pages = Math.max(this.#pages, from);
    if (to !== from) this.left(from);
    this.shift = Math.max(this.shift, to - from);
    if (to >= from || this.#lastForward === from) return;
    this.#lastForward = from;
    this.forward += 1;
    this.firstForward = Math.min(from, this.firstForward || from);
  }

  /** Notes that an item is no longer on its page. */
  left(from: number): void {
    this.#leaving[from] = 1;
  }

  get end(): CollectionMovement {
    const { forward, firstForward, shift } = this;
    return { forward, firstForward, shift, leaving: this.#leaving.slice(0, this.#pages + 1) };
  }
}

/**
 * Compares the feeds. Records are sorted by their ids, and ids do not change. So if the first record of a page stays or
 * moves back, the other records of that page do too.
 */
function feedMovement(older: Iterable<PageRange>, newer: Iterable<PageRange>): CollectionMovement {
  const tally = new Tally();
  const pages = newer[Symbol.iterator]();
  let page = 0;
  let next = pages.next();
  /** Returns the page of a record in the newer tree, or its page if it were there: the last page that starts at or above its id. */
  const pageOf = (id: number) => {
    for (; !next.done && next.value.first >= id; next = pages.next()) page += 1;
    return page;
  };
  let from = 0;
  for (const { first, last } of older) {
    from += 1;
    const to = pageOf(first);
    if (to < from) tally.moved(from, to);
    tally.moved(from, Math.max(from, pageOf(last)));
  }
  return tally.end;
}

/**
 * Compares the accounts. Accounts are sorted by their first records. An account with another first record has moved
 * from its place to one of the new places, but it is unknown which. So if a new place is before a place that was left,
 * an account may have moved forward.
 */
function accountMovement(older: SortKeys, newer: SortKeys): CollectionMovement {
  const tally = new Tally();
  const [left, right] = [placesIn(older.accounts, older.accountPageSize), placesIn(newer.accounts, newer.accountPageSize)];
  let [was, is] = [left.next(), right.next()];
  const gone: number[] = [];
  let [firstNew, lastNew] = [Number.POSITIVE_INFINITY, 0];
  while (!was.done || !is.done) {
    const order = was.done ? 1 : is.done ? -1 : compareKeys(was.value.key, is.value.key);
    if (order === 0 && !was.done && !is.done) tally.moved(was.value.page, is.value.page);
    if (order < 0 && !was.done) {
      tally.moved(was.value.page, was.value.page);
      if (gone.at(-1) !== was.value.page) gone.push(was.value.page);
    }
    if (order > 0 && !is.done) {
      firstNew = Math.min(firstNew, is.value.page);
      lastNew = Math.max(lastNew, is.value.page);
    }
    if (order <= 0) was = left.next();
    if (order >= 0) is = right.next();
  }
  for (const page of gone) {
    if (lastNew === 0) tally.left(page);
    if (lastNew > page) tally.moved(page, lastNew);
    if (firstNew < page) tally.moved(page, firstNew);
  }
  return tally.end;
}

function* placesIn(keys: Iterable<AccountKey>, size: number): Generator<{ readonly key: AccountKey; readonly page: number }, undefined> {
  let place = 0;
  for (const key of keys) {
    yield { key, page: Math.floor(place / size) + 1 };
    place += 1;
  }
  return undefined;
}

/** Sorts numbers before names, and names by their bytes. */
function compareKeys(one: AccountKey, other: AccountKey): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1;
  return typeof other === 'number' ? 1 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
