import type { Collection } from '../contract/collection.ts';
import { ENVELOPE_TAIL, encodeEnvelopeHead } from '../contract/envelope.ts';
import type { Site } from '../contract/site.ts';
import type { Direction } from '../store/direction.ts';
import { pageUrl } from './links.ts';

/** A page that can be rendered. */
export interface Page {
  /** The page number, from 1. */
  readonly number: number;
  /** The newest revision of the store that changed anything on the page. */
  readonly revision: number;
  /** The ids of the first and the last record of a feed page; undefined for an account page and for an empty page. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  /** Returns the bytes of the page, in consecutive chunks. */
  readonly render: () => Buffer[];
  /**
   * Returns checksums of everything that the walk has read so far, for {@link Pages.check}. They are two numbers, so
   * that they can be passed to another thread.
   */
  readonly read: () => ReadSoFar;
}

/** For the feed: its CRC-32 and its length in bytes. For the accounts: their number and their sum, see RANKING_TERM. */
export type ReadSoFar = readonly [number, number];

/** All pages of one collection. */
export interface Pages {
  readonly collection: Collection;
  /** The number of pages. An empty collection has one page. */
  readonly count: number;
  /** Yields the pages in order, inward from the first or from the last. */
  readonly walk: (end: Direction) => Generator<Page, void>;
  /**
   * Compares what two walks have read with the checksums in the store. One walk begins at the first page, the other at
   * the last, and they meet.
   * @throws Failure bad-store if they differ
   */
  readonly check: (first: ReadSoFar, last: ReadSoFar) => void;
}

/** Returns the number of pages for a number of items. An empty collection has one page. */
export function pagesFor(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}

/** Yields the page numbers of a collection inward from an end, each with the number of its items. */
export function* pageNumbers(items: number, size: number, end: Direction): Generator<{ readonly number: number; readonly items: number }> {
  const count = pagesFor(items, size);
  for (let step = 0; step < count; step += 1) {
    const number = end === 'first' ? step + 1 : count - step;
    yield { number, items: number === count ? items - (count - 1) * size : size };
  }
}

/** Encodes a page around its encoded items. */
export function encodePage(
  site: Site,
  collection: Collection,
  count: number,
  number: number,
  pages: number,
  items: readonly Buffer[],
): Buffer[] {
  const next = number < pages ? pageUrl(site.base_url, collection, number + 1) : null;
  const previous = number > 1 ? pageUrl(site.base_url, collection, number - 1) : null;
  return [Buffer.from(encodeEnvelopeHead({ count, next, previous })), ...items, Buffer.from(ENVELOPE_TAIL)];
}
