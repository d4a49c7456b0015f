import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { checkpointOf } from '../../src/store/accounts/names-since-checkpoint.ts';
import { removeAccounts } from '../../src/store/exclusions/remove.ts';
import { type BuildSummary, build } from '../../src/tree/build/build.ts';
import { isBrowsePath, linesOfGroup, listFiles } from '../../src/tree/manifest/listing.ts';
import { historyOf } from '../browse/small-site.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

const REMOVAL = { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false };
const UNFINISHED = `{"palimpsest":"0.1.0","state":"unfinished","base_url":"${SITE.base_url}"`;

/** A store, and functions that build its trees in named folders. */
async function workplace(records = 60) {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  await importHistory(store, goodHistory(records));
  const at = (path: string) => join(folder, path);
  const html = (name: string, options: { readonly repair?: boolean } = {}): Promise<BuildSummary> =>
    build(store, { out: at(name), site: SITE, html: true, ...options });
  return { store, at, html, json: (name: string) => build(store, { out: at(name), site: SITE, html: false }) };
}

const browsePaths = (out: string) => [...filesIn(out).keys()].filter((path) => isBrowsePath(path));

/** Which files of a tree changed: a new inode means that the file was written. */
function inodes(out: string): Map<string, number> {
  return new Map(browsePaths(out).map((path) => [path, statSync(join(out, path)).ino]));
}

describe('a build with --html', () => {
  it('adds browse files to the same pages, and lists them in the manifest before the sort keys', async () => {
    const { at, html, json } = await workplace();
    const [plain, full] = [await json('plain'), await html('full')];
    const [without, withHtml] = [filesIn(at('plain')), filesIn(at('full'))];
    const added = [...withHtml.keys()].filter((path) => !without.has(path));
    expect(added.toSorted()).toEqual(browsePaths(at('full')).toSorted());
    expect(added).toContain('index.html');
    expect(added).toContain('browse/changes/1.html');
    for (const [path, bytes] of without) if (path.includes('/')) expect(withHtml.get(path)).toEqual(bytes);
    expect(full).toMatchObject({ written: plain.written + added.length, unchanged: 0, removed: 0, build: { browse_files: added.length } });
    expect('browse_files' in JSON.parse(String(without.get('build.json')))).toBe(false);
    expect(spawnSync('sha256sum', ['-c', '--quiet', 'manifest-sha256.txt'], { cwd: at('full') }).status).toBe(0);
    const lines = String(withHtml.get('manifest-sha256.txt')).trimEnd().split('\n');
    expect(lines.length).toBe(withHtml.size - 2);
    expect(lines.slice(0, -1 - added.length).every((line) => line.includes('  rest/'))).toBe(true);
    expect(lines.at(-1)).toContain('  sort-keys.txt');
  });

  it('gives, when accounts get more parts, the files of a build into an empty folder, and leaves archives and closed parts alone', async () => {
    const { store, at } = await workplace(200);
    const options = { out: at('out'), site: { ...SITE, page_size: 100, account_page_size: 100 }, html: true, accountFeeds: true };
    const settled = (path: string) => /changes\/1\.|~p\d+\.html$/.test(path);
    let earlier = new Map<string, Buffer>();
    const inodesOf = () => new Map([...inodes(at('out'))].filter(([path]) => settled(path)));
    for (const records of [200, 330, 900]) {
      await importHistory(store, goodHistory(records));
      const before = existsSync(at('out')) ? inodesOf() : new Map<string, number>();
      await build(store, options);
      rmSync(at('fresh'), { recursive: true, force: true });
      await build(store, { ...options, out: at('fresh') });
      const files = filesIn(at('out'));
      expect(files).toEqual(filesIn(at('fresh')));
      const after = inodesOf();
      for (const [path, inode] of before) {
        if (files.get(path)?.equals(earlier.get(path) ?? Buffer.of())) expect([path, after.get(path)]).toEqual([path, inode]);
      }
      // a page of a part only gets records: none of them moves to another page
      const recordsOf = (file: Buffer | undefined) => [...String(file).matchAll(/<article id=(r\d+)/g)].map(([, id]) => id);
      for (const [path, bytes] of earlier) {
        if (/~p\d+\.html$/.test(path)) expect(recordsOf(files.get(path)).slice(-recordsOf(bytes).length)).toEqual(recordsOf(bytes));
      }
      for (const kind of ['html', 'atom']) {
        const [path, next] = [`browse/changes/1.${kind}`, `browse/changes/2.${kind}`];
        if (earlier.has(next)) expect(files.get(path)).toEqual(earlier.get(path));
      }
      earlier = files;
    }
    const parts = [...earlier.keys()].filter((path) => /~p\d+\.html$/.test(path));
    expect(parts.filter((path) => path.includes('~p1.')).length).toBeGreaterThan(2);
    expect(parts.filter((path) => path.includes('~p4.')).length).toBeGreaterThan(0);
    // all later records move to other archives
    await removeAccounts(store, ['dee'], REMOVAL);
    await build(store, options);
    rmSync(at('fresh'), { recursive: true });
    await build(store, { ...options, out: at('fresh') });
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
  });
});

it('one new record of a known account changes at most 12 browse files, also a new name of many words, and more only at a checkpoint', async () => {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  const records: Partial<ChangeRecord>[] = [];
  const newest = new Map<string, number>();
  const add = (account: string, data_type: ChangeRecord['data_type'], n: number) => {
    const words = Array.from({ length: 8 }, (_, index) => `${'abcdefgh'[(n + index) % 8]}${(n * 7 + index) % 900}`);
    const previous = newest.get(`${account} ${data_type}`) ?? null;
    records.push({ account, data_type, text: words.join(' '), previous });
    newest.set(`${account} ${data_type}`, records.length);
  };
  const filesOf = async (name: string, newer: number) => {
    await importHistory(store, { records: historyOf(records).records.slice(0, newer), accounts: [] });
    await build(store, { out: join(folder, name), site: { ...SITE, page_size: 100, account_page_size: 100 }, html: true });
    return filesIn(join(folder, name));
  };
  for (let n = 0; n < 4058; n += 1) add(`user_${n % 2000}`, n % 2 === 0 ? 'Name' : 'Bio', n);
  // its newest part is full
  for (let n = 0; n < 100; n += 1) add('long', n % 2 === 0 ? 'Name' : 'Bio', n);
  let before = await filesOf('out', records.length);
  let checkpoints = 0;
  for (const [n, account] of ['user_0', 'user_3', 'long'].entries()) {
    add(account, account === 'long' ? 'Bio' : 'Name', 5000 + n);
    const after = await filesOf('out', 1);
    const changed = [...after].filter(([path, bytes]) => isBrowsePath(path) && !before.get(path)?.equals(bytes)).map(([path]) => path);
    const isCheckpoint = checkpointOf(records.length) === records.length;
    expect(changed.length > 12, changed.join('\n')).toBe(isCheckpoint);
    checkpoints += isCheckpoint ? 1 : 0;
    before = after;
  }
  expect(before).toEqual(await filesOf('fresh', 0));
  expect(checkpoints).toBe(1);
});

it.each(['out', 'history.zip'])('keeps the browse files in a build of %s without --html', async (name) => {
  const { store, at, html } = await workplace();
  await html(name);
  expect(await build(store, { out: at(name), site: SITE })).toMatchObject({ written: 0, removed: 0 });
});

describe('a build with --no-html over a tree with browse files', () => {
  it('removes them, says so, and keeps files of others', async () => {
    const { store, at, html, json } = await workplace();
    await html('out');
    await json('plain');
    writeFileSync(at('out/browse/notes.txt'), 'mine');
    const files = browsePaths(at('out')).length - 1;
    const args = ['--page-size', '7', '--account-page-size', '3', '--base-url', SITE.base_url];
    const { stdout } = await palimpsestHere(['build', '--no-html', '--store', store, '--out', at('out'), ...args]);
    expect(stdout).toContain(`\n  removed   ${files} files of HTML pages\n`);
    expect(readFileSync(at('out/browse/notes.txt'), 'utf8')).toBe('mine');
    rmSync(at('out/browse'), { recursive: true });
    expect(filesIn(at('out'))).toEqual(filesIn(at('plain')));
  });

  it('leaves no empty folder', async () => {
    const { at, html, json } = await workplace();
    await html('out');
    await json('out');
    expect(readdirSync(at('out')).filter((name) => name === 'browse' || name === 'index.html')).toEqual([]);
  });

  it('leaves no empty folder of a build that was killed after it removed the files', async () => {
    const { at, html, json } = await workplace();
    await html('out');
    for (const path of browsePaths(at('out'))) rmSync(at(`out/${path}`));
    writeFileSync(at('out/build.json'), `${UNFINISHED},"browse_files":3}\n`);
    cpSync(at('out'), at('again'), { recursive: true });
    await json('out');
    expect(existsSync(at('out/browse'))).toBe(false);
    mkdirSync(at('again/browse/left/1'), { recursive: true });
    await html('again');
    expect(existsSync(at('again/browse/left'))).toBe(false);
  });

  it('is followed by one with --html although empty folders are at the places of its files', async () => {
    const { at, html, json } = await workplace();
    await json('out');
    mkdirSync(at('out/browse/account/3f'), { recursive: true });
    await html('fresh');
    await html('out');
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
  });
});

describe('files of others at the places of browse files', () => {
  it.each([
    ['a home page', (out: string) => writeFileSync(join(out, 'index.html'), '<p>mine')],
    ['a folder with a file', (out: string) => [mkdirSync(join(out, 'browse')), writeFileSync(join(out, 'browse/mine'), '')]],
    ['a symbolic link', (out: string) => symlinkSync(temporaryFolder(), join(out, 'browse'))],
  ])('are refused before anything is written: %s', async (_, place) => {
    const { at, html, json } = await workplace();
    await json('out');
    place(at('out'));
    const before = filesIn(at('out'));
    await expect(html('out')).rejects.toMatchObject({ code: 'not-ours', expected: 'nothing, because build --html writes here' });
    expect(filesIn(at('out'))).toEqual(before);
    // also if a build without browse files was killed
    writeFileSync(at('out/build.json'), `${UNFINISHED}}\n`);
    await expect(html('out')).rejects.toMatchObject({ code: 'not-ours' });
  });

  it.each([
    [
      'a folder at the path of a page',
      (out: string) => [rmSync(join(out, 'browse/changes/9.html')), mkdirSync(join(out, 'browse/changes/9.html'))],
    ],
    [
      'a link at the path of a folder',
      (out: string) => [
        rmSync(join(out, 'browse/changes'), { recursive: true }),
        symlinkSync(temporaryFolder(), join(out, 'browse/changes')),
      ],
    ],
  ])('are refused later too: %s', async (_, place) => {
    const { store, at, html } = await workplace();
    await html('out');
    place(at('out'));
    await importHistory(store, goodHistory(61));
    await expect(html('out')).rejects.toMatchObject({ code: 'not-ours' });
    expect(JSON.parse(readFileSync(at('out/build.json'), 'utf8'))).toMatchObject({ state: 'finished', records: 60 });
  });
});

describe('a tree with damaged browse files', () => {
  it.each([
    ['is repaired with --repair', () => {}, true],
    [
      'is completed if the build was killed',
      (out: string) => writeFileSync(join(out, 'build.json'), `${UNFINISHED},"browse_files":3}\n`),
      false,
    ],
    ['is completed if the manifest is damaged', (out: string) => writeFileSync(join(out, 'manifest-sha256.txt'), 'x'), false],
  ])('%s', async (_, damage, repair) => {
    const { at, html } = await workplace();
    await html('fresh');
    cpSync(at('fresh'), at('out'), { recursive: true });
    const { ino } = statSync(at('out/browse/changes/3.html'));
    writeFileSync(at('out/browse/changes/2.html'), 'half');
    rmSync(at('out/browse/assets'), { recursive: true });
    // left by a build of another store
    writeFileSync(at('out/browse/changes/900.html'), 'surplus');
    damage(at('out'));
    await html('out', { repair });
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
    expect(statSync(at('out/browse/changes/3.html')).ino).toBe(ino);
  });
});

describe('the lines of browse files', () => {
  it('are found by group wherever they are in a manifest', () => {
    const line = (path: string) => `${'ab'.repeat(32)}  ${path}\n`;
    const paths = [
      'rest/data/index.json',
      'browse/a/1.html',
      'browse/b/1.html',
      'rest/é/x',
      'browse/a/2.html',
      'index.html',
      'sort-keys.txt',
    ];
    const listing = listFiles(Buffer.from(paths.map(line).join('')), (path) =>
      isBrowsePath(path) ? (path.split('/')[1] ?? 'home') : undefined,
    );
    const found = Object.fromEntries(
      [...listing.extents.keys()].map((key) => [key, Array.from(linesOfGroup(listing, key), ({ path }) => path)]),
    );
    expect(found).toEqual({ a: ['browse/a/1.html', 'browse/a/2.html'], b: ['browse/b/1.html'], home: ['index.html'] });
  });

  it.each([
    'browse/../secret',
    'browse//x',
    'browse/.x',
    'browse',
    'rest/index.html',
    '/index.html',
    'browse/x.',
    'browse/a\\b',
    'browse/é',
  ])('have no path like %s', (path) => {
    expect(isBrowsePath(path)).toBe(false);
  });
});
