import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';

/** The address of a page, as Django REST Framework links to it. */
export function pageAddress(baseUrl: string, collection: Collection, page: number): string {
  return `${baseUrl}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
}

/**
 * Checks that `next` leads to the page after this one, in the same collection of the same service.
 * @param smallest how many items the shortest page with a `next` had, so far
 * @throws Failure bad-service, with the address, if it links to another place, back, or past the last item
 */
export function checkNext(baseUrl: string, collection: Collection, page: number, next: string, count: number, smallest: number): void {
  const own = new URL(pageAddress(baseUrl, collection, 1));
  const url = URL.canParse(next, own.href) ? new URL(next, own) : undefined;
  // behind a proxy that speaks TLS, services often take themselves for plain HTTP
  const isHere = url !== undefined && url.host === own.host && (url.protocol === own.protocol || own.protocol === 'https:');
  if (!isHere)
    throw refused(next, `an address below ${baseUrl}`, 'another origin', `mirror ${elsewhere(url, collection)} if that is the service`);
  if (url.pathname !== own.pathname) {
    throw refused(next, `an address below ${own.href}`, 'another path', `mirror ${elsewhere(url, collection)} if that is the service`);
  }
  const number = url.searchParams.getAll('page').at(-1) ?? '';
  if (number !== String(page + 1)) {
    const found = Number(number) <= page ? `page ${number || 'none'}: a loop` : `page ${number}`;
    throw refused(next, `page ${page + 1}`, found, 'report this to the operator of the service');
  }
  // a page may hold more items than others while a tree is published
  if ((page - 1) * Math.max(1, smallest) >= count) {
    throw refused(next, `an end after ${count} items, the count`, 'one more page', 'report this to the operator of the service');
  }
}

function elsewhere(url: URL | undefined, collection: Collection): string {
  return url === undefined ? 'another address' : url.origin + url.pathname.replace(new RegExp(`/rest/${collection}/?$`), '');
}

function refused(next: string, expected: string, found: string, hint: string): Failure {
  return new Failure('bad-service', 'the link to the next page is not followed', {
    place: { file: next, field: 'next' },
    expected,
    found,
    hint,
  });
}
