import type { DamagedTree, Json, PageJson } from '../damaged-tree.ts';
import { encode, one } from '../damaged-tree.ts';
import { BRACKETS, type Damage, GARBAGE } from './damage.ts';

const MIDDLE = 'rest/data/page/5/index.json';
const BASE = 'https://history.example/api/rest/data/';

/** Damages of pages: the contents of the envelope and its formatting. All are resealed. */
export const PAGE_DAMAGES: readonly Damage[] = [
  ...json('is empty', () => ''),
  ...json('is binary garbage', () => GARBAGE),
  ...json('is cut short', (text) => text.slice(0, -30)),
  ...json('is there twice in its file', (text) => text + text),
  ...json('has a byte that is not UTF-8', (text) => brokenUtf8(text, 0xff)),
  ...json('has a surrogate in UTF-8', (text) => brokenUtf8(text, 0xed, 0xa0, 0x80)),
  ...json('has an overlong UTF-8 sequence', (text) => brokenUtf8(text, 0xc0, 0xaf)),
  ...json('begins with a byte order mark', (text) => `\ufeff${text}`),
  ...json('is UTF-16', (text) => Buffer.from(text, 'utf16le')),
  ...json('is HTML', () => '<!doctype html><title>404</title>'),
  ...json('has only opening brackets', () => '['.repeat(BRACKETS)),
  ...json('has a raw control character', (text) => text.replace('plain', 'pla\tin')),
  {
    name: 'the second file of a page is binary garbage',
    damage: (tree) => tree.write('rest/data/page/last/index.json', GARBAGE),
    expects: 'duplicate-mismatch',
    path: 'rest/data/page/last/index.json',
    deep: true,
  },
  {
    name: 'the second file of a page is from another build',
    damage: (tree) => tree.write('rest/data/page/1/index.json', tree.text('rest/data/index.json').replace('"count":60', '"count":59')),
    expects: 'duplicate-mismatch',
    path: 'rest/data/page/1/index.json',
    deep: true,
  },

  ...envelope('is null', () => 'null'),
  ...envelope('is a list', () => '[]'),
  ...envelope('is a string', () => '"page"'),
  ...envelope('is deeply nested', () => '['.repeat(BRACKETS) + ']'.repeat(BRACKETS)),
  ...envelope('is an error response', () => '{"detail":"Invalid page."}'),
  ...envelope('has results that are an object', (page) => ({ ...page, results: {} })),
  ...envelope('has results that are null', (page) => ({ ...page, results: null })),
  ...envelope('has results that are a string', (page) => ({ ...page, results: 'none' })),
  ...envelope('has no count', ({ count, ...page }) => page),
  ...envelope('has a count that is a string', (page) => ({ ...page, count: '60' })),
  ...envelope('has a count with a fraction', (page) => ({ ...page, count: 60.5 })),
  ...envelope('has a next that is false', (page) => ({ ...page, next: false })),
  ...envelope('has an unknown field', (page) => ({ ...page, pages: 9 })),
  ...envelope('has a field __proto__', (_, text) => text.replace('"count"', '"__proto__":1,"count"')),
  ...envelope('is only the list of items', (page) => page.results),

  ...field('page-count', 'is too small by one', (page) => ({ ...page, count: 59 }), '59'),
  ...field('page-count', 'is the number of items on the page', (page) => ({ ...page, count: 7 }), '7'),
  {
    name: 'build.json has too large a number of records',
    damage: (tree) => tree.editBuild({ records: 61 }),
    expects: 'page-count',
    path: 'rest/data/index.json',
    mentions: '61',
    also: ['page-items'],
    deep: true,
  },
  ...field('page-next', 'is null before the last page', (page) => ({ ...page, next: null }), 'null'),
  ...field('page-next', 'skips a page', (page) => ({ ...page, next: `${BASE}?page=7` }), '?page=7'),
  ...field('page-next', 'links to its own page', (page) => ({ ...page, next: `${BASE}?page=5` }), '?page=5'),
  ...field('page-next', 'links to another site', (page) => ({ ...page, next: 'https://evil.example/rest/data/?page=6' }), 'evil'),
  ...field('page-next', 'is relative', (page) => ({ ...page, next: '/api/rest/data/?page=6' }), '"/api'),
  ...field('page-next', 'is empty', (page) => ({ ...page, next: '' }), '""'),
  {
    name: 'the last page has a next',
    damage: (tree) => tree.editPage('data', 9, (page) => Object.assign(page, { next: `${BASE}?page=10` })),
    expects: 'page-next',
    path: 'rest/data/page/9/index.json',
    mentions: '?page=10',
    deep: true,
  },
  {
    name: 'all links have the base URL of an earlier build',
    damage: (tree) => tree.editBuild({ base_url: 'https://new.example' }),
    expects: 'page-next',
    path: 'rest/account/page/2/index.json',
    mentions: 'https://new.example/rest/account/?page=3',
    also: ['page-previous'],
    deep: true,
  },
  ...field('page-previous', 'links to its own page', (page) => ({ ...page, previous: `${BASE}?page=5` }), '?page=5'),
  ...field('page-previous', 'is null', (page) => ({ ...page, previous: null }), 'null'),
  {
    name: 'previous of page 2 has a page parameter',
    damage: (tree) => tree.editPage('data', 2, (page) => Object.assign(page, { previous: `${BASE}?page=1` })),
    expects: 'page-previous',
    path: 'rest/data/page/2/index.json',
    mentions: '?page=1',
    deep: true,
  },
  {
    name: 'the first page has a previous',
    damage: (tree) => tree.editPage('account', 1, (page) => Object.assign(page, { previous: 'https://history.example/api/rest/account/' })),
    expects: 'page-previous',
    path: 'rest/account/index.json',
    deep: true,
  },

  {
    name: 'a record is one page too late',
    damage: (tree) => {
      const moved = itemsOf(tree.page('data', 4)).at(-1);
      tree.editPage('data', 4, (page) => Object.assign(page, { results: itemsOf(page).slice(0, -1) }));
      tree.editPage('data', 5, (page) => Object.assign(page, { results: [moved, ...itemsOf(page)] }));
    },
    expects: 'page-items',
    path: 'rest/data/page/4/index.json',
    mentions: '7 items',
    deep: true,
  },
  {
    name: 'a page in the middle is empty',
    damage: (tree) => tree.editPage('data', 5, (page) => Object.assign(page, { results: [] })),
    expects: 'page-items',
    path: MIDDLE,
    also: ['account-data-surplus'],
    deep: true,
  },
  {
    name: 'an empty page follows the last full one',
    damage: (tree) => {
      tree.editFeed((records) => records.slice(4));
      tree.editAccounts((accounts) => {
        const gone = new Set([128, 126, 124, 122]);
        for (const account of accounts) account.data = account.data.filter((record) => !gone.has(Number(record.id)));
        Object.assign(
          one(accounts, (account) => account.screen_name === 'eli'),
          { data_page_count: 1 },
        );
        return accounts;
      });
      // 56 records fill eight pages: the ninth is empty
      tree.editPage('data', 8, (page) => Object.assign(page, { next: `${BASE}?page=9` }));
      tree.editBuild({ data_pages: 9 });
      tree.writePage('data', 9, encode({ count: 56, next: null, previous: `${BASE}?page=8`, results: [] }));
    },
    expects: 'build-record',
    path: 'build.json',
    deep: true,
  },
  {
    name: 'one page has all items, more than the page size',
    damage: (tree) => {
      const page_size = tree.build()['page_size'];
      tree.editBuild({ page_size: 100 });
      tree.editFeed((records) => records);
      tree.editBuild({ page_size });
    },
    expects: 'build-record',
    path: 'build.json',
    deep: true,
  },

  ...bytes('is pretty-printed', (page) => JSON.stringify(page, undefined, 2)),
  ...bytes('ends with a newline', (_, text) => `${text}\n`),
  ...bytes('has its fields in another order', ({ count, ...page }) => encode({ ...page, count })),
  ...bytes('has the fields of a record in another order', (_, text) =>
    text.replace(/"id":(72),"account":"日本"/, '"account":"日本","id":72'),
  ),
  ...bytes('has unnecessary escapes', (_, text) => text.replace('日本', '\\u65e5\\u672c')),
  ...bytes('has escaped slashes', (_, text) => text.replaceAll('</', '<\\/')),
  ...bytes('has escapes in capitals', (_, text) => text.replace('\\u001f', '\\u001F')),
  ...bytes('has two counts', (_, text) => text.replace('"count":60', '"count":1,"count":60')),
  ...bytes('has an id with a fraction', (_, text) => text.replace('"id":72', '"id":72.0')),
  ...bytes('has an id with an exponent', (_, text) => text.replace('"id":72', '"id":7.2e1')),
  {
    name: 'a page has line separators that are not escaped',
    damage: (tree) => tree.editText('account', 3, (text) => text.replaceAll('\\u2028', '\u2028')),
    expects: 'page-bytes',
    path: 'rest/account/page/3/index.json',
    deep: true,
  },
];

/** Replaces page 5 of the feed with something that is not JSON. */
function json(what: string, edit: (text: string) => string | Uint8Array): Damage[] {
  const damage = (tree: DamagedTree) => tree.writePage('data', 5, edit(tree.text(MIDDLE)));
  return [{ name: `a page ${what}`, damage, expects: 'page-json', path: MIDDLE, also: ['account-data-surplus'], deep: true }];
}

function brokenUtf8(text: string, ...bytes: number[]): Uint8Array {
  const [before = '', after = ''] = text.split('plain');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

function edited(edit: (page: PageJson, text: string) => unknown): Damage['damage'] {
  return (tree) => {
    const after = edit(tree.page('data', 5), tree.text(MIDDLE));
    tree.editText('data', 5, () => (typeof after === 'string' ? after : encode(after)));
  };
}

function envelope(what: string, edit: (page: PageJson, text: string) => unknown): Damage[] {
  return [
    { name: `a page ${what}`, damage: edited(edit), expects: 'page-envelope', path: MIDDLE, also: ['account-data-surplus'], deep: true },
  ];
}

function field(expects: Damage['expects'], what: string, edit: (page: PageJson) => unknown, mentions: string): Damage[] {
  return [
    {
      name: `the field ${expects.slice('page-'.length)} of a page ${what}`,
      damage: edited(edit),
      expects,
      path: MIDDLE,
      mentions,
      deep: true,
    },
  ];
}

function bytes(what: string, edit: (page: PageJson, text: string) => string): Damage[] {
  return [{ name: `a page ${what}`, damage: edited(edit), expects: 'page-bytes', path: MIDDLE, deep: true }];
}

function itemsOf(page: PageJson): Json[] {
  if (!Array.isArray(page.results)) throw new Error('not an array');
  return page.results;
}
