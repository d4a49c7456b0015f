import type { Capability } from '../../src/rewrite/hosts/host.ts';

/** A query on a collection of three pages. */
export interface Query {
  /** The query with its question mark. */
  readonly query: string;
  /** The page in the answer, or 404. */
  readonly shows: number;
  /** The capability that a host needs for this answer; every host must answer `core` queries. */
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
  ['?page=2%00', 404, 'control-characters'],
  ['?page=2%0A', 2, 'control-characters'],
  ['?page=%ZZ', 404, 'core'],
  ['?page=2;page=3', 404, 'core'],
  ['?page[]=2', 1, 'core'],
  ['?page=2%26page=3', 404, 'core'],
  ['?page=2&', 2, 'core'],
  ['?page=2?', 404, 'core'],
];

/** Non-ASCII white space that Python strips around a number. */
const SPACES = ['%C2%85', '%C2%A0', '%E1%9A%80', '%E2%80%80', '%E2%80%8A', '%E2%80%A8', '%E2%80%AF', '%E2%81%9F', '%E3%80%80'];

/** Additional queries that were not measured and do not count for the score. */
const MORE: typeof TABLE = [
  ...SPACES.map((space, at) => [`?page=${space}2${SPACES[SPACES.length - 1 - at]}`, 2, 'integers'] as const),
  // white space for some languages, but not for Python
  ['?page=%E2%80%8B2', 404, 'core'],
  ['?page=%EF%BB%BF2', 404, 'core'],
  [`?page=${'0'.repeat(3000)}2`, 2, 'leading-zeros'],
  [`?page=${'0'.repeat(4299)}2`, 2, 'leading-zeros'],
  [`?page=${'0'.repeat(4300)}2`, 404, 'digit-limit'],
];

/** The measured answers of Django REST Framework; test/drf compares them with a live one. */
export const QUERIES: readonly Query[] = queriesOf(TABLE);

/** All queries, measured and not measured. */
export const ALL_QUERIES: readonly Query[] = queriesOf([...TABLE, ...MORE]);

function queriesOf(table: typeof TABLE): Query[] {
  return table.map(([query, shows, asks]) => ({ query, shows, asks }));
}
