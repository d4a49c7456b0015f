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

/**
 * A base URL as links need it: scheme and host, perhaps a path, no slash at the end.
 * @throws Failure usage where it is none
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (
    url === undefined ||
    !isWeb ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== '' ||
    /[?#]$/.test(text)
  ) {
    const bare = !text.includes('://') && URL.canParse(`https://${text}`);
    throw new Failure('usage', `"${text}" cannot be a base URL`, {
      expected: 'http:// or https://, a host, and perhaps a path',
      found: isWeb ? 'a query, a fragment or a password in it' : 'no address of that form',
      hint: bare ? `write https://${text}` : 'give the address under which rest/ will be reached, such as https://example.org/api',
    });
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
