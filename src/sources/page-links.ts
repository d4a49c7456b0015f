import type { SavedPage } from './source.ts';

/** Where a page stands in its collection, as its `next` and `previous` say. */
export interface PagePosition {
  /** The collection's address without a query; null where no link says it. */
  readonly url: string | null;
  /** What the links ask for beside the page. */
  readonly query: string;
  /** From 1; undefined where the links do not number pages, or contradict each other. */
  readonly number: number | undefined;
}

interface Link {
  readonly url: string;
  readonly query: string;
  /** 'none' where the link names no page. */
  readonly page: number | 'none' | undefined;
}

/** Where a page stands; by its links alone, because the name of a file says nothing for certain. */
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
  // beside other parameters a link without a page may be one of another kind, such as a cursor
  const isSecond = before.page === 'none' && (fromNext === 2 || (after === undefined && before.query === ''));
  const fromPrevious = isSecond ? 2 : typeof before.page === 'number' ? before.page + 1 : undefined;
  return after === undefined || fromNext === fromPrevious ? fromPrevious : undefined;
}

function linkOf(link: string | null): Link | undefined {
  if (link === null) return undefined;
  const [url = '', text = ''] = link.split('?', 2);
  const parameters = new URLSearchParams(text);
  const page = parameters.get('page');
  parameters.delete('page');
  const number = page !== null && /^[1-9]\d{0,14}$/.test(page) ? Number(page) : undefined;
  return { url, query: parameters.toString(), page: page === null ? 'none' : number };
}
