import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';

/** Returns the address of a page, as Django REST Framework links to it. */
export function pageAddress(baseUrl: string, collection: Collection, page: number): string {
  return `${baseUrl}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
}

/**
 * Checks that `next` leads to the page after this one, in the same collection of the same service.
 * @param shortest the number of items on the shortest page so far that had a `next`
 * @throws Failure bad-service, with the address, if it links to another place, back, or past the last item
 */
export function checkNext(baseUrl: string, collection: Collection, page: number, next: string, count: number, shortest: number): void {
  const own = new URL(pageAddress(baseUrl, collection, 1));
  const url = URL.canParse(next, own.href) ? new URL(next, own) : undefined;
  // behind a TLS proxy, services often link to plain HTTP
  const isHere = url !== undefined && url.host === own.host && (url.protocol === own.protocol || own.protocol === 'https:');
  if (!isHere) throw refused(next, `an address below ${baseUrl}`, 'another origin', elsewhere(url, collection));
  if (url.pathname !== own.pathname) {
    throw refused(next, `an address below ${own.href}`, 'another path', elsewhere(url, collection));
  }
  const number = url.searchParams.getAll('page').at(-1) ?? '';
  if (number !== String(page + 1)) {
    const found = Number(number) <= page ? `page ${number || 'none'}: a loop` : `page ${number}`;
    throw refused(next, `page ${page + 1}`, found, 'report this to the operator of the service');
  }
  // during a publish, a page can have more items than others
  if ((page - 1) * Math.max(1, shortest) >= count) {
    throw refused(next, `no page after ${count} items, the count`, 'one more page', 'report this to the operator of the service');
  }
}

function elsewhere(url: URL | undefined, collection: Collection): string {
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'report this to the operator of the service';
  return `mirror ${url.origin}${url.pathname.replace(new RegExp(`/rest/${collection}/?$`), '')} if that is the service`;
}

function refused(next: string, expected: string, found: string, hint: string): Failure {
  return new Failure('bad-service', 'the link to the next page is not followed', {
    place: { file: next, field: 'next' },
    expected,
    found,
    hint,
  });
}
