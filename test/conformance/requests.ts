import type { Collection } from '../../src/contract/collection.ts';

/** Paths below that of the base URL that Django does not know, though some servers make known ones of them. */
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

/** Paths that it decodes, with what they spell. */
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

/** Queries that a redirect to the path with its slash keeps as they are. */
export const REDIRECTED_QUERIES: readonly string[] = ['', '?page=2', '?a&page=2&b', '?page=0_2', '?a=b?c', '?page=%C3%A9%22'];

/** The same, of what may as well stand decoded. */
export const REDIRECTED_ENCODINGS: readonly string[] = ['?a=%2F&page=2&b', '?a=%61', '?next=http%3A%2F%2Fa.example%2F%3Fb%3Dc'];

/** Methods that servers answer by themselves, where they are let. */
export const RARE_METHODS: readonly string[] = ['TRACE', 'PROPFIND'];

/** Methods that HTTP does not have. */
export const UNKNOWN_METHODS: readonly string[] = ['FOO'];
