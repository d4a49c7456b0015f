import type { Collection } from '../../contract/pages/collection.ts';
import type { SavedPage } from '../source.ts';
import type { NumberRange } from './number-ranges.ts';

/** The position of a page in its collection, according to `next` and `previous`. */
export interface PagePosition {
  /** The address of the collection without a query; null if the page has no links. */
  readonly url: string | null;
  /** The query of the links without the page number. */
  readonly query: string;
  /** From 1; undefined if the links contain no page numbers or contradict each other. */
  readonly number: number | undefined;
}

interface Link {
  readonly url: string;
  readonly query: string;
  /** 'none' if the link contains no page number. */
  readonly page: number | 'none' | undefined;
}

/** Returns the position of a page. Only its links are used, because a file name is not reliable. */
export function positionOf({ next, previous }: Pick<SavedPage, 'next' | 'previous'>): PagePosition {
  const [after, before] = [linkOf(next), linkOf(previous)];
  const { url = null, query = '' } = after ?? before ?? {};
  const position = numberOf(after, before);
  const isOneCollection = after === undefined || before === undefined || after.url === before.url;
  return { url, query, number: isOneCollection ? position : undefined };
}

function numberOf(after: Link | undefined, before: Link | undefined): number | undefined {
  const fromNext = typeof after?.page === 'number' ? after.page - 1 : undefined;
  if (before === undefined) return fromNext === 1 ? 1 : undefined;
  // with other parameters, a link without a page number may be of another kind, such as a cursor
  const isSecond = before.page === 'none' && (fromNext === 2 || (after === undefined && before.query === ''));
  const fromPrevious = isSecond ? 2 : typeof before.page === 'number' ? before.page + 1 : undefined;
  return after === undefined || fromNext === fromPrevious ? fromPrevious : undefined;
}

function linkOf(link: string | null): Link | undefined {
  if (link === null) return undefined;
  const [address = '', text = ''] = link.split('?', 2);
  // the letter case of the path counts, that of the scheme and host does not
  const url = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, (origin) => origin.toLowerCase());
  const parameters = new URLSearchParams(text);
  const page = parameters.get('page');
  parameters.delete('page');
  const number = page !== null && /^[1-9]\d{0,14}$/.test(page) ? Number(page) : undefined;
  return { url, query: parameters.toString(), page: page === null ? 'none' : number };
}

export interface ItemPositions extends NumberRange {
  /** How many items a full page has. */
  readonly size: number;
}

/**
 * Returns the positions of the items on a page, counted from the end of the collection that does not grow: of the feed
 * from the oldest record, of the accounts from the first. Returns undefined if the page contradicts its `count`.
 */
export function itemPositions(
  collection: Collection,
  page: Pick<SavedPage, 'count' | 'next' | 'previous' | 'items'>,
  number: number,
): ItemPositions | undefined {
  const { count, next, items } = page;
  const size = next === null ? (count - items) / (number - 1) : items;
  const before = (number - 1) * size;
  if (!Number.isInteger(size) || size < 1 || items > size || before + items > count) return undefined;
  if (collection === 'account') return { size, from: before + 1, to: before + items };
  return { size, from: count - before - items + 1, to: count - before };
}
