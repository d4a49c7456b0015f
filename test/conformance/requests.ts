import type { Collection } from '../../src/contract/pages/collection.ts';

/** Paths below the base URL that Django does not know, but that some servers normalize to known paths. */
export const UNKNOWN_SPELLINGS: readonly string[] = [
  '/rest//data/',
  '/rest/data//',
  '/rest/./data/',
  '/rest/%2e/data/',
  '/rest/data/./',
  '/rest/data/.',
  '/rest/x/../data/',
  '/rest/x/%2E%2e/account/',
];

/** Paths that Django decodes, with their decoded form. */
export const KNOWN_SPELLINGS: readonly (readonly [path: string, spells: Collection])[] = [
  ['/rest/d%61ta/', 'data'],
  ['/%72est/%64%61%74%61/', 'data'],
  ['/rest/acc%6Fun%74/', 'account'],
  ['/rest/acc%6fun%74/', 'account'],
  ['/rest/data%2F', 'data'],
  ['/rest%2faccount/', 'account'],
  ['/rest/d%61ta', 'data'],
  ['/rest/%61ccount', 'account'],
];

/** Queries that a redirect must keep unchanged. */
export const REDIRECTED_QUERIES: readonly string[] = ['', '?page=2', '?a&page=2&b', '?page=0_2', '?a=b?c', '?page=%C3%A9%22'];

/** Queries that a redirect must keep, but may decode. */
export const REDIRECTED_ENCODINGS: readonly string[] = ['?a=%2F&page=2&b', '?a=%61', '?next=http%3A%2F%2Fa.example%2F%3Fb%3Dc'];

/** Methods that servers answer themselves by default. */
export const RARE_METHODS: readonly string[] = ['TRACE', 'PROPFIND'];

/** Methods that HTTP does not define. */
export const UNKNOWN_METHODS: readonly string[] = ['FOO'];

/** Accept headers: that of a browser first, and '' for none. */
export const ACCEPTS: readonly string[] = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'text/html',
  '*/*',
  '',
  'application/json',
];
