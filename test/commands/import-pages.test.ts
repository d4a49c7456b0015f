import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bioRecord, emptyAccount } from '../support/bio-record.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const COUNT = 23;

/** The tree of so many records of two accounts: four to a page. */
const made = folderOfFile();
const tree = join(made, 'tree');

beforeAll(async () => {
  const source = join(made, 'source.db');
  const records = Array.from({ length: COUNT }, (_, index) =>
    bioRecord(index + 1, { account: `user_${index % 2}`, first_encountered_date: `2023-11-18T16:29:${String(index + 10)}Z` }),
  );
  await palimpsestJson(['import', '-', '--store', source], { input: records.map((record) => `${JSON.stringify(record)}\n`).join('') });
  const sizes = ['--page-size', '4', '--account-page-size', '1'];
  await palimpsestJson(['build', '--store', source, '--out', tree, '--base-url', 'https://history.example', ...sizes]);
});

function newStore(): { folder: string; store: string } {
  const folder = temporaryFolder();
  return { folder, store: join(folder, 'store.db') };
}

/** The pages of the tree as somebody saves them, in files that do not say which page they are. */
function savePages(into: string, leaveOut: readonly string[] = []): void {
  mkdirSync(into);
  for (const [path, bytes] of filesIn(join(tree, 'rest'))) {
    if (!/page\/\d+\/index\.json$/.test(path) || leaveOut.includes(path)) continue;
    const isPacked = path.includes('/2/');
    writeFileSync(join(into, path.replaceAll('/', '-').replace('.json', isPacked ? '.gz' : '.txt')), isPacked ? gzipSync(bytes) : bytes);
  }
}

describe('palimpsest import with saved pages', () => {
  it('reports a whole tree, and all of its pages saved one by one, as complete', async () => {
    const { folder, store } = newStore();
    savePages(join(folder, 'saved'));
    for (const source of [tree, join(folder, 'saved')]) {
      const { code, stdout, stderr } = await palimpsestHere(['import', source, '--store', store, '--require-complete', '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { page_sets } = JSON.parse(stdout);
      expect(page_sets).toMatchObject([
        { collection: 'account', status: 'complete', count: 2, expected_pages: 2, missing_pages: [], missing_items: 0, reason: null },
        {
          collection: 'data',
          url: 'https://history.example/rest/data/',
          status: 'complete',
          count: COUNT,
          expected_pages: 6,
          missing_items: 0,
        },
      ]);
    }
  });

  it('suggests the build that makes the same tree', async () => {
    const { folder: cwd } = newStore();
    savePages(join(cwd, 'saved'));
    const warc = join(cwd, 'tree.warc');
    await palimpsestJson(['archive', 'warc', '--out', tree, '--to', warc]);
    for (const source of [tree, warc, 'saved']) {
      const store = `${source === 'saved' ? source : basename(source)}.db`;
      const { stdout } = await palimpsestHere(['import', source, '--store', store], { cwd });
      const [, args = ''] = /^next, .*: \S.* (build --store .*)$/m.exec(stdout) ?? [];
      expect(args).toBe(`build --store ${store} --base-url https://history.example --page-size 4 --account-page-size 1`);
      await palimpsestJson([...args.split(' '), '--out', 'again', '--replace-tree'], { cwd });
      expect(filesIn(join(cwd, 'again/rest'))).toEqual(filesIn(join(tree, 'rest')));
    }
  });

  it('suggests no base URL if the links of the pages do not show one', async () => {
    const { folder: cwd } = newStore();
    const page = { count: 2, next: 'https://history.example/v1/changes?page=2', previous: null, results: [bioRecord(2)] };
    const { stdout } = await palimpsestHere(['import', '-', '--store', 'store.db'], { cwd, input: JSON.stringify(page) });
    expect(stdout).toMatch(/^next: .* build --store store\.db$/m);
  });

  it('names missing pages, and imports nothing with --require-complete', async () => {
    const { folder, store } = newStore();
    savePages(join(folder, 'saved'), ['data/page/3/index.json', 'data/page/6/index.json', 'account/page/1/index.json']);
    const args = ['import', join(folder, 'saved'), '--store', store];
    const refused = await palimpsestHere([...args, '--require-complete', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'incomplete',
      file: 'https://history.example/rest/account/',
      expected: 'pages that contain all 2 items',
      found: '1 of 2 items are missing: page 1 of 2',
    });
    expect(await palimpsestHere(['build', '--store', store, '--base-url', 'https://a.example'])).toMatchObject({ code: 1 });

    const { code, stdout, stderr } = await palimpsestHere([...args, '--json']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'warning: the saved pages of https://history.example/rest/account/ are incomplete: 1 of 2 items are missing: page 1 of 2; save the missing pages or all pages again, and import them\n' +
        'warning: the saved pages of https://history.example/rest/data/ are incomplete: 7 of 23 items are missing: pages 3, 6 of 6; save the missing pages or all pages again, and import them\n',
    );
    expect(JSON.parse(stdout).page_sets[1]).toEqual({
      collection: 'data',
      url: 'https://history.example/rest/data/',
      status: 'incomplete',
      count: COUNT,
      pages: 4,
      page_size: 4,
      expected_pages: 6,
      missing_pages: [
        { first_page: 3, last_page: 3 },
        { first_page: 6, last_page: 6 },
      ],
      missing_items: 7,
      reason: null,
    });
    expect(await palimpsestHere([...args, '--quiet'])).toMatchObject({ stdout: '', stderr: expect.stringContaining('are incomplete') });
  });

  it.each([
    ['data', 'accounts'],
    ['account', 'feed'],
  ])(
    'refuses pages of rest/%s alone with --require-complete, because nothing counts the items of the other collection',
    async (one, other) => {
      const { store } = newStore();
      const args = ['import', join(tree, 'rest', one), '--store', store, '--require-complete', '--json'];
      const { code, stdout } = await palimpsestHere(args);
      expect(code).toBe(1);
      expect(JSON.parse(stdout).error).toMatchObject({ code: 'incomplete', found: `no page of the ${other}` });
    },
  );

  it('refuses an empty page with --require-complete, unless another page can be of the other collection', async () => {
    const { folder, store } = newStore();
    const page = join(folder, 'page.json');
    writeFileSync(page, '{"count":0,"next":null,"previous":null,"results":[]}');
    const args = ['import', page, '--store', store, '--require-complete', '--json'];
    const { code, stdout } = await palimpsestHere(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'incomplete', found: 'one empty page, which does not say its collection' });
    copyFileSync(page, join(folder, 'other.json'));
    expect(await palimpsestHere([...args, join(folder, 'other.json')])).toMatchObject({ code: 0 });
  });

  it('counts the items of indented pages, of pages in one file, and of rejected pages', async () => {
    const { folder, store } = newStore();
    const pages = [1, 2, 3, 4, 5, 6].map((page) => JSON.parse(readFileSync(join(tree, `rest/data/page/${page}/index.json`), 'utf8')));
    pages[1].results[0].text = 5;
    const source = join(folder, 'pages.json');
    const rejects = ['--rejects', join(folder, 'rejects')];
    for (const text of [
      pages.map((page) => JSON.stringify(page, null, 2)).join('\n'),
      JSON.stringify(pages),
      pages.map((page) => JSON.stringify(page)).join('\n'),
    ]) {
      writeFileSync(source, text);
      expect(await palimpsestJson(['import', source, '--store', store, ...rejects])).toMatchObject({
        rejected: 1,
        page_sets: [{ status: 'complete', collection: 'data', pages: 6, expected_pages: 6 }],
      });
    }
  });

  it.each([undefined, 1])(
    'does not call pages complete that were saved while records came and others went, so that count stayed (indentation %o)',
    async (indentation) => {
      const { folder, store } = newStore();
      const records = Array.from({ length: COUNT + 2 }, (_, index) => bioRecord(COUNT + 2 - index));
      const before = records.slice(2);
      const after = records.filter(({ id }) => id !== 2 && id !== 3);
      const url = (page: number) => `https://history.example/rest/data/?page=${page}`;
      const last = Math.ceil(COUNT / 4);
      for (let page = 1; page <= last; page++) {
        const results = (page < 4 ? before : after).slice(4 * page - 4, 4 * page);
        const links = { next: page < last ? url(page + 1) : null, previous: page > 1 ? url(page - 1) : null };
        writeFileSync(join(folder, `${page}.json`), JSON.stringify({ count: COUNT, ...links, results }, null, indentation));
      }
      const accounts = { count: 1, next: null, previous: null, results: [emptyAccount('jack')] };
      writeFileSync(join(folder, 'accounts.json'), JSON.stringify(accounts, null, indentation));
      const args = ['import', folder, '--store', store, '--json'];
      const refused = await palimpsestHere([...args, '--require-complete']);
      const reason = 'the ids do not fall from page 3 to page 4: the pages may share records';
      expect(refused.code).toBe(1);
      expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'incomplete', found: reason });
      const { page_sets } = await palimpsestJson(args);
      expect(page_sets).toMatchObject([
        { collection: 'data', status: 'unknown', count: COUNT, missing_items: 0, reason },
        { collection: 'account', status: 'complete' },
      ]);
    },
  );

  it.each<[string, readonly object[], string, string | null]>([
    ['a record twice', [bioRecord(1), bioRecord(1)], 'unknown', 'page 1 has items of the other collection, items without an id'],
    [
      'records that are not sorted by id',
      [bioRecord(1), bioRecord(2)],
      'unknown',
      'page 1 has items of the other collection, items without an id',
    ],
    [
      'a record without an id',
      [bioRecord(1), bioRecord(2, { id: null })],
      'unknown',
      'page 1 has items of the other collection, items without an id',
    ],
    [
      'a record and an account',
      [bioRecord(1), emptyAccount('jack')],
      'unknown',
      'page 1 has items of the other collection, items without an id',
    ],
    ['an account twice', [emptyAccount('jack'), emptyAccount('jack')], 'incomplete', 'the pages have only 1 distinct account'],
    [
      'two accounts with one name',
      [emptyAccount('jack'), emptyAccount('jack', { account_creation_date: '2020-01-01T00:00:00Z' })],
      'complete',
      null,
    ],
  ])('finds on one page %s', async (_, results, status, reason) => {
    for (const indentation of [undefined, 1]) {
      const { folder, store } = newStore();
      const input = JSON.stringify({ count: results.length, next: null, previous: null, results }, null, indentation);
      const args = ['import', '-', '--store', store, '--rejects', join(folder, 'rejects'), '--json'];
      const { stdout } = await palimpsestHere(args, { input });
      expect(JSON.parse(stdout).page_sets).toMatchObject([{ status, reason: reason === null ? null : expect.stringContaining(reason) }]);
    }
  });

  it('rejects sources without pages only with --require-complete', async () => {
    const { folder, store } = newStore();
    const page = JSON.parse(readFileSync(join(tree, 'rest/data/index.json'), 'utf8'));
    const file = join(folder, 'records.ndjson');
    writeFileSync(file, page.results.map((record: object) => `${JSON.stringify(record)}\n`).join(''));
    const refused = await palimpsestHere(['import', file, '--store', store, '--require-complete']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('leave out --require-complete: only saved pages') });
    expect(await palimpsestJson(['import', file, '--store', store])).toMatchObject({ page_sets: [], records_by_outcome: { added: 4 } });
  });
});
