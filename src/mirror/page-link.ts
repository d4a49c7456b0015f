import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';
import { cut } from '../contract/json.ts';
import { BadResponse, MAX_REDIRECTS, type Redirect } from '../http/http-client.ts';

/** Returns the address of a page, as Django REST Framework links to it. */
export function pageAddress(baseUrl: string, collection: Collection, page: number): string {
  return `${baseUrl}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
}

/**
 * Checks that `next` leads to the page after this one, in the same collection of the same service.
 * @throws BadResponse if it does not: a cache may have sent another page; Failure bad-service if page 1 links to another place
 */
export function checkNext(baseUrl: string, collection: Collection, page: number, next: string): void {
  const own = new URL(pageAddress(baseUrl, collection, 1));
  const url = URL.canParse(next, own.href) ? new URL(next, own) : undefined;
  // behind a TLS proxy, services often link to plain HTTP
  const isHere = url !== undefined && url.host === own.host && (url.protocol === own.protocol || own.protocol === 'https:');
  if (isHere && url.pathname === own.pathname) {
    checkNumber('next', url, page + 1);
    return;
  }
  const found = `${isHere ? 'another path' : 'another origin'}: ${cut(next)}`;
  if (page > 1) throw new BadResponse(`next leads to ${found}`);
  throw new Failure('bad-service', 'the link to the next page is not followed', {
    place: { file: own.href, field: 'next' },
    expected: `an address below ${isHere ? own.href : baseUrl}`,
    found,
    hint: elsewhere(url, baseUrl),
  });
}

/**
 * Checks that `previous` leads to the page before this one.
 * @throws BadResponse if it does not: a cache may have sent another page
 */
export function checkPrevious(page: number, previous: string): void {
  const url = URL.canParse(previous, 'http://localhost') ? new URL(previous, 'http://localhost') : undefined;
  if (url !== undefined) checkNumber('previous', url, Math.max(1, page - 1));
}

function checkNumber(field: 'next' | 'previous', url: URL, expected: number): void {
  const number = url.searchParams.getAll('page').at(-1) ?? '1';
  if (number !== String(expected)) throw new BadResponse(`${field} leads to page ${cut(number)}, expected page ${expected}`);
}

/** What a mirror requests below the base URL, as the end of a path. */
const REQUESTED = /\/((rest|versions)\/.*|[^/]+\.(json|txt))?$/;

/** Returns what to do about an address that is not followed: if it can be of another service, its base URL is there. */
function elsewhere(url: URL | undefined, baseUrl: string): Hint {
  const other = url === undefined || !/^https?:$/.test(url.protocol) ? baseUrl : url.origin + url.pathname.replace(REQUESTED, '');
  if (other === baseUrl) return 'report this to the operator of the service';
  return hint`if the service has moved there, run ${suggested('mirror', {}, [other])}`;
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
