import { plural } from '../../contract/amounts.ts';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import type { SavedPage } from '../source.ts';
import { lengthOf, type NumberRange, NumberRanges } from './number-ranges.ts';
import { DistinctAccounts } from './page-items.ts';
import { itemPositions, type PagePosition, positionOf } from './page-links.ts';

/** How many ranges of missing pages are listed. */
const LISTED = 1000;

/**
 * What is missing from the saved pages of one collection:
 * - `complete`: the pages contain all items that `count` announces
 * - `incomplete`: items are missing
 * - `unknown`: no item is known to be missing, but the pages do not prove it; `reason` says why
 */
export interface PageSetReport {
  readonly collection: Collection | undefined;
  /** The address of the collection without a query; null if the pages have no links. */
  readonly url: string | null;
  readonly status: 'complete' | 'incomplete' | 'unknown';
  /** The highest `count` on the pages. */
  readonly count: number;
  /** The number of pages read, including repeated ones. */
  readonly pages: number;
  /** The number of items on a full page; null if it is unknown. */
  readonly pageSize: number | null;
  /** The number of pages of the collection; null if it is unknown. */
  readonly expectedPages: number | null;
  /** The first 1,000 ranges of missing page numbers. */
  readonly missingPages: readonly NumberRange[];
  /** The number of missing items: exact if `reason` is null, otherwise a minimum. */
  readonly missingItems: number;
  /** Why the numbers are not certain; null if they are. */
  readonly reason: string | null;
}

/**
 * The saved pages of one collection at one address.
 * - A feed is sorted by id. So each of its records has another id if the ids on each page fall, and from page to page: memory does
 *   not grow with the number of pages.
 * - Services may sort accounts differently. So hashes of their names and creation dates are counted, with 8 to 16 bytes for each account.
 */
export class PageSet {
  readonly #url: string | null;
  #collection: Collection | undefined;
  #pages = 0;
  #items = 0;
  #leastCount = Number.POSITIVE_INFINITY;
  #mostCount = 0;
  #pageSize: number | undefined;
  #query: string | undefined;
  /** Why the positions of the items are not known. */
  #reason: string | undefined;
  /** Why the items of a page are not known to be distinct. */
  #disorder: string | undefined;
  /** The positions of the items on the pages, see {@link itemPositions}. */
  readonly #covered = new NumberRanges();
  readonly #accounts = new DistinctAccounts();

  constructor(url: string | null) {
    this.#url = url;
  }

  add(page: SavedPage, { number, query }: PagePosition): void {
    this.#collection ??= page.collection ?? collectionAt(this.#url);
    this.#pages += 1;
    this.#items += page.items;
    this.#mostCount = Math.max(this.#mostCount, page.count);
    this.#accounts.add(page.accounts);
    const isOther = page.collection !== undefined && page.collection !== this.#collection;
    if (isOther || !page.isOrdered)
      this.#disorder ??= `page ${number ?? 1} has items of the other collection, items without an id or name, or records that are not sorted by id`;
    // a collection with one page needs no page number
    if (page.next === null && page.previous === null && page.items === page.count) {
      this.#covered.add(1, page.count, page.ids?.last, page.ids?.first);
      return;
    }
    this.#leastCount = Math.min(this.#leastCount, page.count);
    this.#query ??= query;
    if (number === undefined) this.#reason ??= 'some pages have no page number in next or previous';
    else if (query !== this.#query) this.#reason ??= 'the pages belong to different queries';
    else if (this.#collection === undefined) this.#reason ??= 'the collection of some pages is unknown';
    else this.#place(page, number, this.#collection);
  }

  #place(page: SavedPage, number: number, collection: Collection): void {
    const positions = itemPositions(collection, page, number);
    this.#pageSize ??= positions?.size;
    if (positions === undefined || positions.size !== this.#pageSize) {
      this.#reason ??= 'some pages differ in size or contradict their count';
    } else {
      this.#covered.add(positions.from, positions.to, page.ids?.last, page.ids?.first);
    }
  }

  report(): PageSetReport {
    const count = this.#mostCount;
    const gaps = this.#reason === undefined ? this.#covered.gaps(1, count) : [];
    const size = this.#reason === undefined ? this.#pageSize : undefined;
    // records on a page that was read twice count twice, so this is a minimum
    const shown = this.#collection === 'account' && this.#disorder === undefined ? this.#accounts.size : this.#items;
    const missingItems = Math.max(lengthOf(gaps), count - shown);
    const changed = this.#leastCount < count ? `the pages have different counts, from ${this.#leastCount} to ${count}` : undefined;
    const isRepeated = this.#reason === undefined && missingItems > lengthOf(gaps);
    const repeated = isRepeated ? `the pages have only ${plural(shown, 'distinct account')}` : undefined;
    const reason = this.#reason ?? changed ?? this.#disorder ?? this.#overlap(size) ?? repeated ?? null;
    return {
      collection: this.#collection,
      url: this.#url,
      status: missingItems > 0 ? 'incomplete' : reason === null ? 'complete' : 'unknown',
      count,
      pages: this.#pages,
      pageSize: size ?? null,
      expectedPages: size === undefined ? null : Math.ceil(count / size),
      missingPages: size === undefined ? [] : this.#pagesOf(gaps, size).slice(0, LISTED),
      missingItems,
      reason,
    };
  }

  /** Returns why records of two pages may be the same. */
  #overlap(size: number | undefined): string | undefined {
    const positions = this.#covered.contradiction();
    if (positions === undefined || size === undefined) return undefined;
    const pages = this.#pagesOf([positions], size).map(({ from, to }) => `${from} to page ${to}`);
    return `the ids do not fall from page ${pages}: the pages may share records`;
  }

  /** Returns the pages on which items are missing. The numbers refer to the collection at its highest count. */
  #pagesOf(gaps: readonly NumberRange[], size: number): readonly NumberRange[] {
    const pages = new NumberRanges();
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

/** The saved pages of a run, grouped by collection. */
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

/** How many ranges of page numbers a message lists. */
const LISTED_IN_MESSAGE = 10;

/** Describes what is missing from a set of saved pages: `200 of 6921 items are missing: pages 12, 40`. */
export function lackOf(set: PageSetReport): string {
  if (set.missingItems === 0) return set.reason ?? 'nothing is missing';
  const amount = set.reason === null ? '' : 'probably ';
  const note = set.reason === null ? '' : `; ${set.reason}`;
  return `${amount}${set.missingItems} of ${set.count} items are missing${pagesOf(set)}${note}`;
}

function pagesOf({ missingPages, expectedPages }: PageSetReport): string {
  if (missingPages.length === 0) return '';
  const listed = missingPages.slice(0, LISTED_IN_MESSAGE);
  const runs = listed.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  const more = lengthOf(missingPages) - lengthOf(listed);
  const noun = lengthOf(missingPages) === 1 ? 'page' : 'pages';
  return `: ${noun} ${runs.join(', ')}${more === 0 ? '' : ` and ${more} more`} of ${expectedPages}`;
}
