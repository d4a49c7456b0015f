import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/contract/record.ts';
import { inMemory } from '../../src/tree/tree-files.ts';
import { walkAccounts } from '../../src/verify/pages/account-check.ts';
import { walkFeed } from '../../src/verify/pages/feed-check.ts';
import { readInParts } from '../../src/verify/pages/large-page.ts';
import type { TreeMetadata } from '../../src/verify/pages/tree-pages.ts';
import { Report, type Rule } from '../../src/verify/violation.ts';
import { encode, type Json, objectsIn, type PageJson } from './damaged-tree.ts';
import { BRACKETS, GARBAGE } from './damages/damage.ts';
import { goodHistory } from './good-tree.ts';

/** A page of the feed has four records, a page of accounts three accounts. Each collection has three pages. */
const SIZES = { data: 4, account: 3 };
const BASE = 'https://history.example/api';
const NESTED = '['.repeat(BRACKETS) + ']'.repeat(BRACKETS);

type Collection = keyof typeof SIZES;
/** Returns the JSON or the bytes of a page, from its right content and JSON. */
type Edit = (page: PageJson, text: string) => unknown;

const { records, accounts } = goodHistory(12);
const ITEMS = {
  data: records,
  account: accounts.map(({ screen_name, account_creation_date, profile_image_url, data, ...summary }) => {
    const identity = { screen_name, account_creation_date, profile_image_url };
    return { ...identity, data, data_page_count: Math.ceil(data.length / SIZES.data), ...summary };
  }),
};

function pageOf(collection: Collection, number: number): string {
  const [items, size] = [ITEMS[collection], SIZES[collection]];
  const url = (page: number) => `${BASE}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
  const [next, previous] = [number < 3 ? url(number + 1) : null, number > 1 ? url(number - 1) : null];
  return encode({ count: items.length, next, previous, results: items.slice((number - 1) * size, number * size) });
}

/**
 * Walks a collection whose second page was edited. Returns the JSON of the items that are found, and the violations. They are the
 * same if the page is checked in parts.
 */
function walked(collection: Collection, edit: Edit) {
  const [whole, inParts] = [walkedAs(collection, edit, false), walkedAs(collection, edit, true)];
  expect(inParts).toEqual(whole);
  return whole;
}

function walkedAs(collection: Collection, edit: Edit, isLarge: boolean) {
  const text = pageOf(collection, 2);
  const edited = edit(JSON.parse(text), text);
  const second = Buffer.from(typeof edited === 'string' || edited instanceof Uint8Array ? edited : encode(edited));
  const bytesOf = (number: number) => (number === 2 ? second : Buffer.from(pageOf(collection, number)));
  const read = (_: unknown, number: number) => ({ ...inMemory(bytesOf(number)), isLarge });
  const sizes = { page_size: SIZES.data, account_page_size: SIZES.account, records: records.length, accounts: accounts.length };
  const tree: TreeMetadata = {
    build: {
      ...{ palimpsest: '', state: 'finished', base_url: BASE, ...sizes },
      ...{ data_pages: 3, account_pages: 3, compress: '', store: '', manifest: '', renderer: '' },
    },
    read,
  };
  const report = new Report();
  const found =
    collection === 'data'
      ? Array.from(walkFeed(tree, report), ({ json }) => json.toString())
      : Array.from(walkAccounts(tree, report), ({ json }) => Buffer.concat([...json()]).toString());
  return { found, violations: report.violations };
}

/** The JSON of the items of a collection. `without`: the index of one that is not there. */
function itemsOf(collection: Collection, without?: number): string[] {
  return ITEMS[collection].filter((_, index) => index !== without).map(encode);
}

/** Expects one violation on the second page. */
function expectOne(collection: Collection, edit: Edit, rule: Rule, mentions = '') {
  const { found, violations } = walked(collection, edit);
  expect(violations).toMatchObject([{ rule, path: `rest/${collection}/page/2/index.json` }]);
  expect(`${violations[0]?.expected} ${violations[0]?.found}`).toContain(mentions);
  return found;
}

/** Edits the first item of a page. */
const first =
  (changes: Json): Edit =>
  (page) => ({ ...page, results: objectsIn(page.results).map((item, index) => (index === 0 ? { ...item, ...changes } : item)) });

/** Replaces the first record of a page. */
const replaced =
  (json: string): Edit =>
  (_, text) =>
    text.replace(/(?<="results":\[)\{.*?\}(?=,\{)/, json);

describe('a page', () => {
  it('has no violation as a build writes it', () => {
    for (const collection of ['data', 'account'] as const)
      expect(walked(collection, (page) => page)).toEqual({ found: itemsOf(collection), violations: [] });
    expect(readInParts(inMemory(Buffer.from(pageOf('account', 2))))?.accounts).toHaveLength(SIZES.account);
  });

  it.each<[string, Edit]>([
    ['is binary garbage', () => GARBAGE],
    ['is there twice in its file', (_, text) => text + text],
    ['has a byte that is not UTF-8', (_, text) => brokenUtf8(text, 0xff)],
    ['has an overlong UTF-8 sequence', (_, text) => brokenUtf8(text, 0xc0, 0xaf)],
    ['begins with a byte order mark', (_, text) => `\ufeff${text}`],
    ['has only opening brackets', () => '['.repeat(BRACKETS)],
  ])('is not JSON if it %s', (_, edit) => {
    const found = expectOne('data', edit, 'page-json');
    expect(found).toEqual([...itemsOf('data').slice(0, 4), ...itemsOf('data').slice(8)]);
  });

  it.each<[string, Edit]>([
    ['is null', () => 'null'],
    ['is deeply nested', () => NESTED],
    ['is an error response', () => '{"detail":"Invalid page."}'],
    ['has no count', ({ count, ...page }) => page],
    ['has a count with a fraction', (page) => ({ ...page, count: 12.5 })],
    ['has an unknown field', (page) => ({ ...page, pages: 9 })],
    ['has a field __proto__', (_, text) => text.replace('"count"', '"__proto__":1,"count"')],
  ])('has a wrong envelope if it %s', (_, edit) => void expectOne('data', edit, 'page-envelope'));

  it.each<[Rule, string, Json]>([
    ['page-count', '11', { count: 11 }],
    ['page-next', 'null', { next: null }],
    ['page-next', 'evil', { next: 'https://evil.example/rest/data/?page=3' }],
    ['page-previous', '?page=1', { previous: `${BASE}/rest/data/?page=1` }],
    ['page-items', '4 items', { results: [] }],
  ])('breaks the rule %s, with %s, if a field is wrong', (rule, mentions, changes) => {
    expectOne('data', (page) => ({ ...page, ...changes }), rule, mentions);
  });

  it.each<[string, Edit]>([
    ['ends with a newline', (_, text) => `${text}\n`],
    ['has its fields in another order', ({ count, ...page }) => ({ ...page, count })],
    ['has the fields of a record in another order', (_, text) => text.replace(/("id":\d+),("account":"[^"]*")/, '$2,$1')],
    ['has unnecessary escapes', (_, text) => text.replace(/"account":"(.)/, (_all, first: string) => `"account":"\\u${unitOf(first)}`)],
    ['has an escape instead of a letter in a name of a field', (_, text) => text.replace('"id"', '"i\\u0064"')],
    ['has an id with a fraction', (_, text) => text.replace(/("id":\d+)/, '$1.0')],
  ])('has other bytes than a build writes if it %s', (_, edit) => {
    expect(edit(JSON.parse(pageOf('data', 2)), pageOf('data', 2))).not.toBe(pageOf('data', 2));
    expect(expectOne('data', edit, 'page-bytes')).toEqual(itemsOf('data'));
  });
});

describe('an invalid item of a page', () => {
  it.each<[string, Json]>([
    ['id', { id: 2 ** 53 }],
    ['account', { account: undefined }],
    ['data_type', { data_type: 'Birthday' }],
    ['first_encountered_date', { first_encountered_date: '2016-02-30T00:00:00Z' }],
    ['note', { note: 'x' }],
  ])('is a record with a wrong %s: all others are found with their own JSON', (field, changes) => {
    expect(expectOne('data', first(changes), 'record-field', `results[0].${field}`)).toEqual(itemsOf('data', 4));
  });

  it.each(['null', '[]', '94', '{}', NESTED, `${'{"id":'.repeat(BRACKETS)}1${'}'.repeat(BRACKETS)}`])('is no record: %.20s', (json) => {
    expect(expectOne('data', replaced(json), 'record-field', 'results[0]')).toEqual(itemsOf('data', 4));
  });

  it.each<[string, Json]>([
    ['screen_name', { screen_name: undefined }],
    ['screen_name', { screen_name: 'ada\ud800' }],
    ['account_creation_date', { account_creation_date: '2011-02-29T00:00:00Z' }],
    ['profile_image_url', { profile_image_url: 'images.example/1.jpg' }],
    ['data', { data: {} }],
    ['data[0]', { data: [null] }],
    ['data_page_count', { data_page_count: { toString: 1, valueOf: 1 } }],
    ['data_page_count', { data_page_count: -3 }],
    ['bio', { bio: null }],
    ['id', { id: 1 }],
  ])('is an account with a wrong %s: all others are found with their own JSON', (field, changes) => {
    expect(expectOne('account', first(changes), 'account-field', `results[0].${field}`)).toEqual(itemsOf('account', 3));
  });
});

describe('a key that occurs twice', () => {
  it('counts as JSON.parse reads it, for the records of a page and of an account', () => {
    const other = { ...records[4], text: 'ö', diff_html: 'ö' } as const;
    const twice: Edit = (_, text) => text.replace(/\]\}$/, `],"results":[${[other, ...records.slice(5, 8)].map(encode).join(',')}]}`);
    expect(expectOne('data', twice, 'page-bytes')).toEqual(itemsOf('data').with(4, encode(other)));
    const [dee] = ITEMS.account.slice(3);
    const changed = dee?.data.map((record) => ({ ...record, web_archive_url: 'https://other.example' })) ?? [];
    const inAccount: Edit = (_, text) =>
      text.replace(',"data_page_count"', `,"data":[${changed.map(encodeRecord).join(',')}],"data_page_count"`);
    expect(expectOne('account', inAccount, 'page-bytes')).toEqual(itemsOf('account').with(3, encode({ ...dee, data: changed })));
  });
});

function unitOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

function brokenUtf8(text: string, ...bytes: number[]): Uint8Array {
  const [before = '', ...after] = text.split('"text":"');
  return Buffer.concat([Buffer.from(`${before}"text":"`), Buffer.from(bytes), Buffer.from(after.join('"text":"'))]);
}
