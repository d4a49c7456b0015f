import { Failure } from './failure.ts';

/** The end of a URL that was copied from a collection or one of its files. */
const COLLECTION = /\/+rest(\/+(data|account)(\/+page(\/+(\d+|last))?)?(\/+index\.json)?)?$/;

/**
 * Returns a base URL in the form that links need: scheme, host and an optional path, without a trailing slash.
 * @param field the option or argument with the text, for the error
 * @throws Failure usage if it is not a base URL, has `//` in its path, or ends in `rest/`, because every link appends `rest/`
 */
export function parseBaseUrl(text: string, field = '--base-url'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb) {
    const isBare = /^[a-z\d]/i.test(text) && !text.includes('://') && URL.canParse(`https://${text}`);
    throw rejected(
      text,
      field,
      isBare ? 'no https:// or http://' : 'not an address of that form',
      isBare ? `write https://${text}` : undefined,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  const base = path.replace(COLLECTION, '');
  const found = [
    COLLECTION.test(path) ? `a path that ends in ${path.slice(path.search(COLLECTION))}, which links would repeat` : '',
    base.includes('//') ? 'a path with //, which web servers change to /' : '',
    url.username !== '' || url.password !== '' ? 'a user name or password' : '',
    text.includes('?') ? 'a query' : '',
    text.includes('#') ? 'a fragment' : '',
  ].filter((part) => part !== '');
  const meant = url.origin + base.replace(/\/{2,}/g, '/');
  if (found.length === 0) return meant;
  throw rejected(text, field, found.join(', '), `did you mean ${meant}? Links add /rest/data/ to it`);
}

/** Whether a text is in the form that {@link parseBaseUrl} returns. The path may be one that it rejects today. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && text === url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether a base URL is that of a server on the reader's own machine: `localhost` or a loopback address. */
export function isLoopback(baseUrl: string): boolean {
  return LOOPBACK.test(new URL(baseUrl).hostname);
}

/** The refusal to publish pages whose links lead to the reader's own machine. */
export function localLinks(target: string, baseUrl: string): Failure {
  return new Failure('loopback-url', `the links in the pages would lead readers of ${target} to their own machines`, {
    expected: 'a tree that was built with the address of the site',
    found: `the base URL ${baseUrl}`,
    hint: 'build again with the address of the site in --base-url, or publish this tree with --allow-loopback',
  });
}

/**
 * Returns the refusal to publish a tree with another base URL than the one at the target: every link in the pages would lead readers
 * to another site. Undefined if the base URL may be replaced.
 * @param there the base URL at the target; undefined if it is unknown
 */
export function otherBaseUrl(target: string, there: string | undefined, baseUrl: string): Failure | undefined {
  if (there === undefined || there === baseUrl || isLoopback(there)) return undefined;
  return new Failure('other-base-url', `all links of ${target} would change from ${there} to ${baseUrl}`, {
    expected: `a tree with the base URL ${there}, as at the target`,
    found: `the base URL ${baseUrl}`,
    hint: `build again with --base-url ${there}, or publish with --allow-other-base-url if the site has moved; nothing was changed`,
  });
}

/** Matches host names in the form that URL returns. 0.0.0.0 and [::] are the addresses of a server that listens on all. */
const LOOPBACK = /^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/;

function rejected(text: string, field: string, found: string, hint: string | undefined): Failure {
  // a password must not appear in a log
  const shown = text.replace(/\/\/[^/?#]*@/, '//…@');
  return new Failure('usage', `"${shown}" cannot be a base URL`, {
    place: { field },
    expected: 'http:// or https://, a host and an optional path, without // in it and without rest/ at its end',
    found,
    hint: hint ?? 'give the address below which clients reach rest/, such as https://example.org/api',
  });
}
