import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { MAX_REDIRECTS, type Redirect } from '../http/http-client.ts';

/** Returns the address of a page, as Django REST Framework links to it. */
export function pageAddress(baseUrl: string, collection: Collection, page: number): string {
  return `${baseUrl}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
}

/**
 * Checks that `next` leads to the page after this one, in the same collection of the same service.
 * @throws Failure bad-service, with the address, if it links to another place or back
 */
export function checkNext(baseUrl: string, collection: Collection, page: number, next: string): void {
  const own = new URL(pageAddress(baseUrl, collection, 1));
  const url = URL.canParse(next, own.href) ? new URL(next, own) : undefined;
  // behind a TLS proxy, services often link to plain HTTP
  const isHere = url !== undefined && url.host === own.host && (url.protocol === own.protocol || own.protocol === 'https:');
  if (!isHere) throw refused(next, `an address below ${baseUrl}`, 'another origin', elsewhere(url, baseUrl));
  if (url.pathname !== own.pathname) {
    throw refused(next, `an address below ${own.href}`, 'another path', elsewhere(url, baseUrl));
  }
  const number = url.searchParams.getAll('page').at(-1) ?? '';
  if (number !== String(page + 1)) {
    const found = Number(number) <= page ? `page ${number || 'none'}: a loop` : `page ${number}`;
    throw refused(next, `page ${page + 1}`, found, 'report this to the operator of the service');
  }
}

/** What a mirror requests below the base URL, as the end of a path. */
const REQUESTED = /\/((rest|versions)\/.*|[^/]+\.(json|txt))?$/;

/** Returns what to do about an address that is not followed: if it can be of another service, its base URL is there. */
function elsewhere(url: URL | undefined, baseUrl: string): string {
  const other = url === undefined || !/^https?:$/.test(url.protocol) ? baseUrl : url.origin + url.pathname.replace(REQUESTED, '');
  return other === baseUrl ? 'report this to the operator of the service' : `mirror ${other} if that is the service`;
}

function refused(next: string, expected: string, found: string, hint: string): Failure {
  return new Failure('bad-service', 'the link to the next page is not followed', {
    place: { file: next, field: 'next' },
    expected,
    found,
    hint,
  });
}

/** Returns a function that follows a redirect, or throws bad-service if it leaves the service. */
export function redirectsWithin(baseUrl: string): (redirect: Redirect) => string {
  const base = new URL(`${baseUrl}/`);
  return ({ from, to, location, isTooMany }) => {
    const isHere = to?.origin === base.origin && to.pathname.startsWith(base.pathname);
    if (to !== undefined && isHere && !isTooMany) return to.href;
    throw new Failure('bad-service', 'a redirect is not followed', {
      place: { file: from },
      expected: isHere ? `at most ${MAX_REDIRECTS} redirects` : `an address below ${base.href}`,
      found: location,
      hint: isHere ? 'report the redirects to the operator of the service' : elsewhere(to, baseUrl),
    });
  };
}
