import type { Collection } from '../contract/pages/collection.ts';
import { ENVELOPE_TAIL, encodeEnvelopeHead } from '../contract/pages/envelope.ts';
import type { Site } from '../contract/site.ts';

/** A page that can be rendered. */
export interface Page {
  /** The page number, from 1. */
  readonly number: number;
  /** The newest revision of the store that changed anything on the page. */
  readonly revision: number;
  /** The ids of the first and the last record of a feed page; undefined for an account page and for an empty page. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  /** Returns the bytes of the page, in consecutive chunks. */
  readonly render: () => Iterable<Buffer>;
}

export const SPAN_PAGES = 32;

/** Consecutive pages of a collection: what a thread renders or checks at a time. */
export interface PageSpan {
  readonly collection: Collection;
  /** The place of the span in the collection, from 0. */
  readonly index: number;
  /** The numbers of its first and last page. */
  readonly from: number;
  readonly to: number;
}

/** Divides the pages of a collection into spans, from the first page on. */
export function spansOf(collection: Collection, pages: number): PageSpan[] {
  return Array.from({ length: Math.ceil(pages / SPAN_PAGES) }, (_, index) => {
    const from = 1 + index * SPAN_PAGES;
    return { collection, index, from, to: Math.min(pages, from + SPAN_PAGES - 1) };
  });
}

/**
 * Checksums of what was read for a span, for {@link Pages.check}: of the feed the CRC-32 and the length in bytes, of the accounts
 * their number and their sum, see RANKING_TERM.
 */
export type ReadSpan = readonly [number, number];

export interface Pages {
  /** Yields the pages of a span in order. It is fast if the spans are walked in ascending order; some may be left out. */
  readonly walk: (span: PageSpan) => Generator<Page, ReadSpan>;
  /**
   * Compares what was read for all spans, in their order, with the checksums in the store.
   * @throws Failure bad-store if they differ
   */
  readonly check: (read: readonly ReadSpan[]) => void;
}

/** Returns the number of pages for a number of items. An empty collection has one page. */
export function pagesFor(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}

export function itemsOn(page: number, items: number, size: number): number {
  return Math.min(size, items - (page - 1) * size);
}

/** Returns the URL of a page in the form of DRF links: page 1 has no `page` parameter. */
export function pageUrl(baseUrl: string, collection: Collection, page: number): string {
  const address = `${baseUrl}/rest/${collection}/`;
  return page === 1 ? address : `${address}?page=${page}`;
}

/** Yields the bytes of a page around its encoded items. */
export function* encodePage(
  site: Site,
  collection: Collection,
  count: number,
  number: number,
  pages: number,
  items: Iterable<Buffer>,
): Generator<Buffer> {
  const next = number < pages ? pageUrl(site.base_url, collection, number + 1) : null;
  const previous = number > 1 ? pageUrl(site.base_url, collection, number - 1) : null;
  yield Buffer.from(encodeEnvelopeHead({ count, next, previous }));
  yield* items;
  yield Buffer.from(ENVELOPE_TAIL);
}
