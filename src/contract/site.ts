import { Failure } from './failure.ts';

/** What the published site is to look like: with the store's contents, all that decides its bytes. */
export interface Site {
  /** Absolute, without a slash at the end: the collections are at `{base_url}/rest/…`. */
  readonly base_url: string;
  /** Change records on a page of `/rest/data/`. */
  readonly page_size: number;
  /** Accounts on a page of `/rest/account/`. */
  readonly account_page_size: number;
}

/** What a base URL ends with where the address of a collection or of one of its files was copied. */
const COLLECTION = /\/+rest(\/+(data|account)(\/+page(\/+(\d+|last))?)?(\/+index\.json)?)?$/;

/**
 * A base URL in the form that links need: scheme and host, perhaps a path, no slash at the end.
 * @throws Failure usage where it is not a base URL, or ends in `rest/`, which every link appends again
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb) {
    const bare = !text.includes('://') && URL.canParse(`https://${text}`);
    throw refused(text, 'not an address of that form', bare ? `write https://${text}` : undefined);
  }
  const path = url.pathname.replace(/\/+$/, '');
  const found = [
    COLLECTION.test(path) ? `a path that ends in ${path.slice(path.search(COLLECTION))}, which links would have twice` : '',
    url.username !== '' || url.password !== '' ? 'a user name or password' : '',
    text.includes('?') ? 'a query' : '',
    text.includes('#') ? 'a fragment' : '',
  ].filter((part) => part !== '');
  const meant = url.origin + path.replace(COLLECTION, '');
  if (found.length === 0) return meant;
  throw refused(text, found.join(', '), `did you mean ${meant}? Links add /rest/data/ to it`);
}

/** Whether a text is a base URL as {@link parseBaseUrl} returns it; also one that it would refuse today for its path. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && text === url.origin + url.pathname.replace(/\/+$/, '');
}

function refused(text: string, found: string, hint: string | undefined): Failure {
  // a password does not belong in a log
  const shown = text.replace(/\/\/[^/?#]*@/, '//…@');
  return new Failure('usage', `"${shown}" cannot be a base URL`, {
    place: { field: '--base-url' },
    expected: 'http:// or https://, a host, and perhaps a path, without rest/ at its end',
    found,
    hint: hint ?? 'give the address below which rest/ will be reached, such as https://example.org/api',
  });
}
