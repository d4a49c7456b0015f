import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { type Interval, Intervals, lengthOf } from './intervals.ts';
import { type PagePosition, positionOf } from './page-links.ts';
import type { SavedPage } from './source.ts';

/** How many runs of missing pages are listed. */
const LISTED = 1000;

/**
 * What the saved pages of one collection lack:
 * - `complete`: every item that `count` promises is on the pages
 * - `incomplete`: items are missing
 * - `unknown`: nothing is known to be missing, but the pages do not prove it; `reason` says why
 */
export interface PageSetReport {
  readonly collection: Collection | undefined;
  /** The collection's address without a query; null where the pages have no links. */
  readonly url: string | null;
  readonly status: 'complete' | 'incomplete' | 'unknown';
  /** The highest `count` on the pages. */
  readonly count: number;
  /** Pages read, repeated ones included. */
  readonly pages: number;
  /** The pages that the collection has; null where that is not known. */
  readonly expectedPages: number | null;
  /** Runs of page numbers, the first 1,000 of them. */
  readonly missingPages: readonly Interval[];
  /** Items that `count` promises and the pages lack: exact where `reason` is null, else at least so many. */
  readonly missingItems: number;
  /** Why the numbers are not certain; null where they are. */
  readonly reason: string | null;
}

/** The saved pages of one collection at one address, in memory that does not grow with their number. */
export class PageSet {
  readonly #url: string | null;
  #collection: Collection | undefined;
  #pages = 0;
  #items = 0;
  #leastCount = Number.POSITIVE_INFINITY;
  #mostCount = 0;
  #pageSize: number | undefined;
  #query: string | undefined;
  #reason: string | undefined;
  /** The items on the pages, by their distance from the collection's end that does not grow. */
  readonly #covered = new Intervals();

  constructor(url: string | null) {
    this.#url = url;
  }

  add(page: SavedPage, { number, query }: PagePosition): void {
    this.#collection ??= page.collection ?? collectionAt(this.#url);
    this.#pages += 1;
    this.#items += page.items;
    this.#mostCount = Math.max(this.#mostCount, page.count);
    // the only page of its collection needs no number
    if (page.next === null && page.previous === null && page.items === page.count) {
      this.#covered.add(1, page.count);
      return;
    }
    this.#leastCount = Math.min(this.#leastCount, page.count);
    this.#query ??= query;
    if (number === undefined) this.#reason ??= 'some pages have no page number in next or previous';
    else if (query !== this.#query) this.#reason ??= 'the pages answer different queries';
    else if (this.#collection === undefined) this.#reason ??= 'some pages do not show of which collection they are';
    else this.#place(page, number);
  }

  #place({ count, next, items }: SavedPage, number: number): void {
    const size = next === null ? (count - items) / (number - 1) : items;
    this.#pageSize ??= size;
    const before = (number - 1) * size;
    if (size !== this.#pageSize || !Number.isInteger(size) || size < 1 || items > size || before + items > count) {
      this.#reason ??= 'some pages are not of the same size, or do not agree with their count';
    } else if (this.#collection === 'account') {
      this.#covered.add(before + 1, before + items);
    } else {
      this.#covered.add(count - before - items + 1, count - before);
    }
  }

  report(): PageSetReport {
    const count = this.#mostCount;
    // pages that are read twice count twice here: so it is the least that can be missing
    const least = Math.max(0, count - this.#items);
    const gaps = this.#reason === undefined ? this.#covered.gaps(1, count) : [];
    const missingItems = this.#reason === undefined ? lengthOf(gaps) : least;
    const changed = this.#leastCount < count ? `count changed from ${this.#leastCount} to ${count} while the pages were saved` : undefined;
    const reason = this.#reason ?? changed ?? null;
    const size = this.#reason === undefined ? this.#pageSize : undefined;
    return {
      collection: this.#collection,
      url: this.#url,
      status: missingItems > 0 ? 'incomplete' : reason === null ? 'complete' : 'unknown',
      count,
      pages: this.#pages,
      expectedPages: size === undefined ? null : Math.ceil(count / size),
      missingPages: size === undefined ? [] : this.#pagesOf(gaps, size).slice(0, LISTED),
      missingItems,
      reason,
    };
  }

  /** The pages, of the collection as it was when it had the most items, on which items are missing. */
  #pagesOf(gaps: readonly Interval[], size: number): readonly Interval[] {
    const pages = new Intervals();
    for (const { from, to } of gaps) {
      const [first, last] = this.#collection === 'account' ? [from, to] : [this.#mostCount + 1 - to, this.#mostCount + 1 - from];
      pages.add(Math.ceil(first / size), Math.ceil(last / size));
    }
    return pages.all();
  }
}

function collectionAt(url: string | null): Collection | undefined {
  return COLLECTIONS.find((collection) => url?.endsWith(`/rest/${collection}/`));
}

/** The saved pages of a run, by the collection they belong to. */
export class PageSets {
  readonly #sets = new Map<string, PageSet>();

  add(page: SavedPage): void {
    const position = positionOf(page);
    const key = `${position.url} ${position.url === null ? page.collection : ''}`;
    const set = this.#sets.get(key) ?? new PageSet(position.url);
    this.#sets.set(key, set);
    set.add(page, position);
  }

  report(): PageSetReport[] {
    return [...this.#sets.values()].map((set) => set.report());
  }
}
