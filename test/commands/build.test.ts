import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { goodHistory, importHistory } from '../verify/good-tree.ts';

const DEFAULT = 'http://127.0.0.1:8080';
const SITE = 'https://history.example/api';
const PAGES = ['--page-size', '9'];

/** A folder with a store, and no tree. */
async function withStore(): Promise<string> {
  const cwd = temporaryFolder();
  await importHistory(join(cwd, 'store.db'), goodHistory());
  return cwd;
}

const build = (cwd: string, ...args: string[]) => palimpsestHere(['build', '--store', 'store.db', ...PAGES, ...args], { cwd });
const buildJson = (cwd: string, ...args: string[]) => palimpsestJson(['build', '--store', 'store.db', ...PAGES, ...args], { cwd });
const linkIn = (cwd: string) => JSON.parse(readFileSync(join(cwd, 'out/rest/data/index.json'), 'utf8')).next;

/** Returns a record of an account, as a line. */
function lineOf(account: string): string {
  const times = { first_encountered_date: '2024-01-01T00:00:00Z', web_archive_url: null };
  return JSON.stringify({ id: 900_000, account, data_type: 'Bio', previous: null, text: 'a', diff_html: '', ...times });
}

describe('build without --base-url', () => {
  it('gives a new tree the address of serve, and says so', async () => {
    const cwd = await withStore();
    const { code, stdout, stderr } = await build(cwd);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\n  base URL  ${DEFAULT}, the default; to publish, set --base-url\n`);
    expect(linkIn(cwd)).toBe(`${DEFAULT}/rest/data/?page=2`);
    expect((await palimpsestHere(['serve', '--help'])).stdout.replace(/\s+/g, ' ')).toMatch(/default: 127\.0\.0\.1.*default: 8080/);
    expect((await palimpsestHere(['build', '--help'])).stdout).toContain(DEFAULT);
    expect(await buildJson(await withStore())).toMatchObject({
      build: { base_url: DEFAULT },
      base_url_from: 'default',
      base_url_before: null,
    });
  });

  it('keeps the base URL of the tree', async () => {
    const cwd = await withStore();
    await buildJson(cwd, '--base-url', SITE);
    const before = filesIn(join(cwd, 'out'));
    expect(await buildJson(cwd)).toMatchObject({ build: { base_url: SITE }, written: 0, base_url_from: 'tree', base_url_before: SITE });
    expect((await build(cwd, '--repair')).stdout).toContain(`\n  base URL  ${SITE}, as in the previous build\n`);
    expect(filesIn(join(cwd, 'out'))).toEqual(before);
  });

  it('keeps the base URL of an unfinished tree, and asks for it if the tree has none', async () => {
    const cwd = await withStore();
    await buildJson(cwd, '--base-url', SITE);
    const record = join(cwd, 'out/build.json');
    writeFileSync(record, `{"palimpsest":"0.1.0","state":"unfinished","base_url":"${SITE}"}\n`);
    expect(await buildJson(cwd)).toMatchObject({ build: { base_url: SITE }, base_url_from: 'tree' });
    writeFileSync(record, '{"palimpsest":"0.1.0","state":"unfinished"}\n');
    const before = filesIn(join(cwd, 'out'));
    const { code, stderr } = await build(cwd);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the base URL of the tree in out is unknown (usage)')]);
    expect(stderr).toContain('give the address of the site with --base-url');
    expect(filesIn(join(cwd, 'out'))).toEqual(before);
    expect(await buildJson(cwd, '--base-url', SITE)).toMatchObject({ base_url_from: 'option', base_url_before: null });
  });
});

describe('build with another base URL', () => {
  it('warns that all links change', async () => {
    const cwd = await withStore();
    await buildJson(cwd, '--base-url', SITE);
    const { code, stdout, stderr } = await build(cwd, '--base-url', 'https://new.example');
    expect(code).toBe(0);
    expect(stderr).toBe(`warning: the base URL of the tree changed from ${SITE} to https://new.example: all links in the pages are new\n`);
    expect(stdout).toContain('\n  base URL  https://new.example\n');
    expect(linkIn(cwd)).toBe('https://new.example/rest/data/?page=2');
    expect(await buildJson(cwd, '--base-url', SITE)).toMatchObject({ base_url_from: 'option', base_url_before: 'https://new.example' });
  });

  it('does not warn if the tree was built for this machine', async () => {
    const cwd = await withStore();
    await buildJson(cwd);
    expect(await build(cwd, '--base-url', SITE)).toMatchObject({ code: 0, stderr: '' });
    expect(linkIn(cwd)).toBe(`${SITE}/rest/data/?page=2`);
  });
});

describe('a build that would lose what a tree has', () => {
  /** Expects that a build is refused and changes nothing, and that --replace-tree allows it. */
  async function isRefused(cwd: string, code: string, ...args: string[]): Promise<string> {
    const before = filesIn(join(cwd, 'out'));
    const { code: exit, stdout } = await build(cwd, '--json', ...args);
    const { error } = JSON.parse(stdout);
    expect([exit, error]).toMatchObject([3, { code, file: 'out', hint: expect.stringContaining('add --replace-tree') }]);
    expect(filesIn(join(cwd, 'out'))).toEqual(before);
    expect(await build(cwd, '--replace-tree', ...args)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('store') });
    return error.found;
  }

  const UNKNOWN = 'from another store, or from this one before another program changed it';

  /** A folder with a tree of a store, and with another store. */
  async function withOtherStore(): Promise<{ readonly cwd: string; readonly contents: string }> {
    const cwd = await withStore();
    const { build: before } = Object(await buildJson(cwd));
    await palimpsestJson(['import', '-', '--store', 'other.db'], { cwd, input: lineOf('zoe') });
    return { cwd, contents: `a tree with ${before.records} records of ${before.accounts} accounts ${UNKNOWN}` };
  }

  it.each([[[]], [['--repair']]])('is refused for the tree of another store, with %j', async (options) => {
    const { cwd, contents } = await withOtherStore();
    const args = ['build', '--store', 'other.db', ...PAGES];
    expect((await palimpsestHere(args, { cwd })).code).toBe(3);
    renameSync(join(cwd, 'other.db'), join(cwd, 'store.db'));
    expect(await isRefused(cwd, 'store-diverged', ...options)).toBe(contents);
    expect((await build(cwd, ...options)).stderr).toBe('');
  });

  it('is refused for a tree of another store that a build did not finish', async () => {
    const { cwd } = await withOtherStore();
    const path = join(cwd, 'out', 'build.json');
    const { palimpsest, base_url, store } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ palimpsest, state: 'unfinished', base_url, store }));
    expect(await build(cwd)).toMatchObject({ code: 0 });
    writeFileSync(path, JSON.stringify({ palimpsest, state: 'unfinished', base_url, store }));
    renameSync(join(cwd, 'other.db'), join(cwd, 'store.db'));
    expect(await isRefused(cwd, 'store-diverged')).toBe(`a tree ${UNKNOWN}`);
  });

  it.each(['finished', 'unfinished'])('is refused if less than half of the pages remain of a tree that is %s', async (state) => {
    const cwd = await withStore();
    const small = ['--page-size', '1', '--account-page-size', '1'];
    const args = ['build', '--store', 'store.db'];
    const { build: record } = Object(await palimpsestJson([...args, ...small], { cwd }));
    if (state === 'unfinished') {
      const { palimpsest, base_url, store } = record;
      writeFileSync(join(cwd, 'out', 'build.json'), JSON.stringify({ palimpsest, state, base_url, store }));
    }
    const sizes = '; the tree has --page-size 1 --account-page-size 1, and this build has 9 and 1';
    expect(await isRefused(cwd, 'too-many-deletes')).toMatch(state === 'finished' ? sizes : /^\d+ files$/);
  });

  it('is not one after a change of the store: a build keeps the page sizes', async () => {
    const cwd = await withStore();
    const args = ['build', '--store', 'store.db'];
    await palimpsestJson([...args, '--page-size', '2', '--account-page-size', '3'], { cwd });
    await palimpsestJson(['import', '-', '--store', 'store.db'], { cwd, input: lineOf('zoe') });
    expect(await palimpsestJson(args, { cwd })).toMatchObject({ build: { page_size: 2, account_page_size: 3 } });
    const path = join(cwd, 'out', 'build.json');
    const { palimpsest, base_url, page_size, account_page_size, store } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ palimpsest, state: 'unfinished', base_url, page_size, account_page_size, store }));
    expect(await palimpsestJson(args, { cwd })).toMatchObject({ build: { page_size: 2, account_page_size: 3 } });
  });
});
