import type { DamagedTree, Json, PageJson } from '../damaged-tree.ts';
import { encode, one } from '../damaged-tree.ts';
import { BRACKETS, type Damage, GARBAGE } from './damage.ts';

const MIDDLE = 'rest/data/page/5/index.json';
const BASE = 'https://history.example/api/rest/data/';

/** Damages of pages: what is in the envelope, and how it is written. All are sealed. */
export const PAGE_DAMAGES: readonly Damage[] = [
  ...json('is empty', () => ''),
  ...json('is binary garbage', () => GARBAGE),
  ...json('is cut short', (text) => text.slice(0, -30)),
  ...json('is followed by another', (text) => text + text),
  ...json('has a byte that is no UTF-8', (text) => brokenUtf8(text, 0xff)),
  ...json('has a surrogate in UTF-8', (text) => brokenUtf8(text, 0xed, 0xa0, 0x80)),
  ...json('has a character in more bytes than it needs', (text) => brokenUtf8(text, 0xc0, 0xaf)),
  ...json('begins with a byte order mark', (text) => `\ufeff${text}`),
  ...json('is UTF-16', (text) => Buffer.from(text, 'utf16le')),
  ...json('is HTML', () => '<!doctype html><title>404</title>'),
  ...json('opens brackets without end', () => '['.repeat(BRACKETS)),
  ...json('has a raw control character', (text) => text.replace('plain', 'pla\tin')),
  {
    name: "a page's second file is binary garbage",
    damage: (tree) => tree.write('rest/data/page/last/index.json', GARBAGE),
    expects: 'duplicate-mismatch',
    path: 'rest/data/page/last/index.json',
    deep: true,
  },
  {
    name: "a page's second file is that of another build",
    damage: (tree) => tree.write('rest/data/page/1/index.json', tree.text('rest/data/index.json').replace('"count":60', '"count":59')),
    expects: 'duplicate-mismatch',
    path: 'rest/data/page/1/index.json',
    deep: true,
  },

  ...envelope('is null', () => 'null'),
  ...envelope('is a list', () => '[]'),
  ...envelope('is a text', () => '"page"'),
  ...envelope('is nested without end', () => '['.repeat(BRACKETS) + ']'.repeat(BRACKETS)),
  ...envelope('is an error answer', () => '{"detail":"Invalid page."}'),
  ...envelope('has results that are an object', (page) => ({ ...page, results: {} })),
  ...envelope('has results that are null', (page) => ({ ...page, results: null })),
  ...envelope('has results that are a text', (page) => ({ ...page, results: 'none' })),
  ...envelope('has no count', ({ count, ...page }) => page),
  ...envelope('has a count in text', (page) => ({ ...page, count: '60' })),
  ...envelope('has a count with a fraction', (page) => ({ ...page, count: 60.5 })),
  ...envelope('has a next that is false', (page) => ({ ...page, next: false })),
  ...envelope('has a field too many', (page) => ({ ...page, pages: 9 })),
  ...envelope('has a field __proto__', (_, text) => text.replace('"count"', '"__proto__":1,"count"')),
  ...envelope('is the list of items alone', (page) => page.results),

  ...field('page-count', 'counts one too few', (page) => ({ ...page, count: 59 }), '59'),
  ...field('page-count', 'counts its own items', (page) => ({ ...page, count: 7 }), '7'),
  {
    name: 'build.json speaks of more records than there are',
    damage: (tree) => tree.editBuild({ records: 61 }),
    expects: 'page-count',
    path: 'rest/data/index.json',
    says: '61',
    also: ['page-items'],
    deep: true,
  },
  ...field('page-next', 'ends the walk too early', (page) => ({ ...page, next: null }), 'null'),
  ...field('page-next', 'skips a page', (page) => ({ ...page, next: `${BASE}?page=7` }), '?page=7'),
  ...field('page-next', 'leads to itself', (page) => ({ ...page, next: `${BASE}?page=5` }), '?page=5'),
  ...field('page-next', 'leads elsewhere', (page) => ({ ...page, next: 'https://evil.example/rest/data/?page=6' }), 'evil'),
  ...field('page-next', 'is relative', (page) => ({ ...page, next: '/api/rest/data/?page=6' }), '"/api'),
  ...field('page-next', 'is empty', (page) => ({ ...page, next: '' }), '""'),
  {
    name: 'the last page has a next',
    damage: (tree) => tree.editPage('data', 9, (page) => Object.assign(page, { next: `${BASE}?page=10` })),
    expects: 'page-next',
    path: 'rest/data/page/9/index.json',
    says: '?page=10',
    deep: true,
  },
  {
    name: 'all links lead to where the tree was built for before',
    damage: (tree) => tree.editBuild({ base_url: 'https://new.example' }),
    expects: 'page-next',
    path: 'rest/account/page/2/index.json',
    says: 'https://new.example/rest/account/?page=3',
    also: ['page-previous'],
    deep: true,
  },
  ...field('page-previous', 'leads to itself', (page) => ({ ...page, previous: `${BASE}?page=5` }), '?page=5'),
  ...field('page-previous', 'is null', (page) => ({ ...page, previous: null }), 'null'),
  {
    name: 'previous of page 2 has the parameter',
    damage: (tree) => tree.editPage('data', 2, (page) => Object.assign(page, { previous: `${BASE}?page=1` })),
    expects: 'page-previous',
    path: 'rest/data/page/2/index.json',
    says: '?page=1',
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
    name: 'a record stands on the next page already',
    damage: (tree) => {
      const moved = itemsOf(tree.page('data', 4)).at(-1);
      tree.editPage('data', 4, (page) => Object.assign(page, { results: itemsOf(page).slice(0, -1) }));
      tree.editPage('data', 5, (page) => Object.assign(page, { results: [moved, ...itemsOf(page)] }));
    },
    expects: 'page-items',
    path: 'rest/data/page/4/index.json',
    says: '7 items',
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
      // 56 records fill eight pages: the ninth has none
      tree.editPage('data', 8, (page) => Object.assign(page, { next: `${BASE}?page=9` }));
      tree.editBuild({ data_pages: 9 });
      tree.writePage('data', 9, encode({ count: 56, next: null, previous: `${BASE}?page=8`, results: [] }));
    },
    expects: 'build-record',
    path: 'build.json',
    deep: true,
  },
  {
    name: 'one page holds all there is, whatever its size',
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

  ...bytes('is printed for people', (page) => JSON.stringify(page, undefined, 2)),
  ...bytes('ends with a newline', (_, text) => `${text}\n`),
  ...bytes('has its fields in another order', ({ count, ...page }) => encode({ ...page, count })),
  ...bytes('has the fields of a record in another order', (_, text) =>
    text.replace(/"id":(72),"account":"日本"/, '"account":"日本","id":72'),
  ),
  ...bytes('escapes more than it must', (_, text) => text.replace('日本', '\\u65e5\\u672c')),
  ...bytes('escapes slashes', (_, text) => text.replaceAll('</', '<\\/')),
  ...bytes('has escapes in capitals', (_, text) => text.replace('\\u001f', '\\u001F')),
  ...bytes('has a count twice', (_, text) => text.replace('"count":60', '"count":1,"count":60')),
  ...bytes('has an id with a fraction', (_, text) => text.replace('"id":72', '"id":72.0')),
  ...bytes('has an id with an exponent', (_, text) => text.replace('"id":72', '"id":7.2e1')),
  {
    name: 'a page has line separators as they are',
    damage: (tree) => tree.editText('account', 3, (text) => text.replaceAll('\\u2028', '\u2028')),
    expects: 'page-bytes',
    path: 'rest/account/page/3/index.json',
    deep: true,
  },
];

/** Page 5 of the feed, replaced by something that is no JSON. */
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

function field(expects: Damage['expects'], what: string, edit: (page: PageJson) => unknown, says: string): Damage[] {
  return [{ name: `${expects}: it ${what}`, damage: edited(edit), expects, path: MIDDLE, says, deep: true }];
}

function bytes(what: string, edit: (page: PageJson, text: string) => string): Damage[] {
  return [{ name: `a page ${what}`, damage: edited(edit), expects: 'page-bytes', path: MIDDLE, deep: true }];
}

function itemsOf(page: PageJson): Json[] {
  if (!Array.isArray(page.results)) throw new Error('no array');
  return page.results;
}
