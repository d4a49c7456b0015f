import type { Capability } from '../../src/rewrite/hosts/capability.ts';

/** A query on a collection of three pages. */
export interface Query {
  /** With its question mark. */
  readonly query: string;
  /** The page that it shows, or 404. */
  readonly shows: number;
  /** What a host has to be capable of to answer it so; `core` is asked of every host. */
  readonly asks: Capability | 'core';
}

const TABLE: readonly (readonly [query: string, shows: number, asks: Query['asks']])[] = [
  ['', 1, 'core'],
  ['?', 1, 'core'],
  ['?page=1', 1, 'core'],
  ['?page=2', 2, 'core'],
  ['?page=3', 3, 'core'],
  ['?page=4', 404, 'core'],
  ['?page=', 1, 'empty-value'],
  ['?page', 1, 'empty-value'],
  ['?page=0', 404, 'core'],
  ['?page=-1', 404, 'core'],
  ['?page=abc', 404, 'core'],
  ['?page=1e3', 404, 'core'],
  ['?page=02', 2, 'integers'],
  ['?page=%2B2', 2, 'integers'],
  ['?page=+2', 2, 'integers'],
  ['?page=%202', 2, 'integers'],
  ['?page=0_2', 2, 'integers'],
  ['?page=2.0', 404, 'core'],
  ['?page=last', 3, 'core'],
  ['?page=LAST', 404, 'letter-case'],
  ['?page=2&page=3', 3, 'last-repeat'],
  ['?page=3&page=2', 2, 'last-repeat'],
  ['?page=2&page=abc', 404, 'last-repeat'],
  ['?page=2&utm=x', 2, 'core'],
  ['?utm=x&page=2', 2, 'core'],
  ['?foo=bar', 1, 'core'],
  ['?xpage=2', 1, 'core'],
  ['?PAGE=2', 1, 'letter-case'],
  ['?p%61ge=2', 2, 'percent-decoding'],
  ['?page=%32', 2, 'percent-decoding'],
  ['?page=%D9%A2', 2, 'other-digits'],
  ['?page=99999999999999999999', 404, 'core'],
  ['?page=../../', 404, 'core'],
  ['?page=..%2F..%2F', 404, 'core'],
  ['?page=2/../3', 404, 'core'],
  ['?page=2%00', 404, 'integers'],
  ['?page=2%0A', 2, 'integers'],
  ['?page=%ZZ', 404, 'core'],
  ['?page=2;page=3', 404, 'core'],
  ['?page[]=2', 1, 'core'],
  ['?page=2%26page=3', 404, 'core'],
  ['?page=2&', 2, 'core'],
  ['?page=2?', 404, 'core'],
];

/** What Django REST Framework answers; queries.test.ts asks a live one. */
export const QUERIES: readonly Query[] = TABLE.map(([query, shows, asks]) => ({ query, shows, asks }));
