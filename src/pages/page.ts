import type { Collection } from '../contract/collection.ts';
import { ENVELOPE_TAIL, encodeEnvelopeHead } from '../contract/envelope.ts';
import type { Site } from '../contract/site.ts';
import type { Direction } from '../store/direction.ts';
import { pageUrl } from './links.ts';

/** A page that can be rendered. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** The store's newest revision that changed anything on it. */
  readonly revision: number;
  /** Of a page of the feed, the ids of its first and its last record; undefined of other pages and of an empty one. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  /** Its bytes, in pieces that follow one another. */
  readonly render: () => Buffer[];
  /**
   * What the walk has read so far, as its store tells whether that is what was written: two numbers, which can be
   * passed to another thread.
   */
  readonly read: () => ReadSoFar;
}

/** Of the feed its CRC-32 and bytes; of the accounts how many there are, and their sum. */
export type ReadSoFar = readonly [number, number];

/** All pages of one collection. */
export interface Pages {
  readonly collection: Collection;
  /** How many there are: at least one, which an empty collection has too. */
  readonly count: number;
  /** The pages one after another, inward from the first or from the last. */
  readonly walk: (end: Direction) => Generator<Page, void>;
  /**
   * Holds what two walks have read, from the first page and from the last until they met, to what was written.
   * @throws Failure bad-store
   */
  readonly check: (first: ReadSoFar, last: ReadSoFar) => void;
}

/** How many pages a number of items fills; an empty collection has one page. */
export function pagesFor(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}

/** The numbers of a collection's pages inward from an end, each with how many items stand on it. */
export function* pageNumbers(items: number, size: number, end: Direction): Generator<{ readonly number: number; readonly items: number }> {
  const count = pagesFor(items, size);
  for (let step = 0; step < count; step += 1) {
    const number = end === 'first' ? step + 1 : count - step;
    yield { number, items: number === count ? items - (count - 1) * size : size };
  }
}

/** A page's bytes around those of its items. */
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
