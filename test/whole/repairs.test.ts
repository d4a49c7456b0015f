import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/database/connection.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { failureOf } from './failures.ts';
import { fileOf, folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
const RECORDS = 120;
const store = join(folder, 'store.db');
let lines: string[] = [];
let tree: Files;

beforeAll(async () => {
  lines = await recordLines(RECORDS, 40);
  await importLines(store, lines);
  tree = await freshTree(store, join(folder, 'tree'), SIZES);
});

/** Copies the finished tree. Returns its folder. */
function copyTree(name: string): string {
  cpSync(join(folder, 'tree'), join(folder, name), { recursive: true });
  return join(folder, name);
}

const verify = async (out: string) => (await palimpsestJson(['verify', '--out', out, '--store', store]))['violation_count'];

describe('a file that is no store', () => {
  function another(path: string): void {
    const database = new Connection(path);
    database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY, json TEXT)');
    database.close();
  }

  it.each<[string, (path: string) => void]>([
    ['garbage', (path) => writeFileSync(path, 'not a database at all\n'.repeat(500))],
    ['another database', another],
  ])('gives an error and stays unchanged if it is %s', async (name, make) => {
    const file = join(folder, `${name}.db`);
    make(file);
    const bytes = readFileSync(file);
    const out = copyTree(`out of ${name}`);
    for (const args of [buildArgs(file, out, SIZES), ['import', '-', '--store', file], ['verify', '--out', out, '--store', file]])
      expect(await failureOf(args)).toMatchObject({ code: 1, error: { code: 'bad-store', file } });
    expect(readFileSync(file).equals(bytes), 'the file is unchanged').toBe(true);
    expect(differences(filesIn(out), tree)).toEqual([]);
  });
});

describe('a folder that palimpsest did not make', () => {
  it.each<[string, Record<string, string>]>([
    ['has a file', { 'notes.txt': 'mine' }],
    ['has a site', { 'index.html': '<p>', 'rest/data/index.json': '{}' }],
    ['has a build.json of another program', { 'build.json': '{"tool":"another"}', 'rest/data/index.json': '{}' }],
    ['has a build.json that is not JSON', { 'build.json': '{"palimpsest":"0.1' }],
    ['has a file beside hidden files', { '.git/HEAD': 'ref', 'a.txt': 'mine' }],
    ['has the working folder of a build', { '.palimpsest/stage/x': '', 'rest/data/page/77/mine': 'mine' }],
  ])('is refused by a build if it %s', async (name, files) => {
    const out = join(folder, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(out, path)), { recursive: true });
      writeFileSync(join(out, path), text);
    }
    const marks = marksOf(out);
    for (const option of [[], ['--repair']]) {
      const error = { code: 'not-ours', file: out, hint: expect.stringContaining('--out') };
      expect(await failureOf(buildArgs(store, out, [...SIZES, ...option]))).toMatchObject({ code: 3, error });
      expect(marksOf(out)).toEqual(marks);
    }
  });

  it('is refused by a build if it is a file', async () => {
    const out = fileOf(folder, 'out-is-a-file', ['mine']);
    expect(await failureOf(buildArgs(store, out, SIZES))).toMatchObject({ code: 3, error: { code: 'not-ours', found: 'a file' } });
    expect(readFileSync(out, 'utf8')).toBe('mine\n');
  });

  it('is accepted by a build if it has only hidden files, and keeps them', async () => {
    const out = join(folder, 'hidden');
    mkdirSync(join(out, '.git'), { recursive: true });
    writeFileSync(join(out, '.git/HEAD'), 'ref');
    await palimpsestJson(buildArgs(store, out, SIZES));
    expect(differences(filesIn(out), new Map([...tree, ['.git/HEAD', Buffer.from('ref')]]))).toEqual([]);
    expect(await verify(out)).toBe(0);
  });
});

describe('a build over a changed tree', () => {
  it('removes surplus pages after an increase of the page size', async () => {
    const out = copyTree('sizes');
    const larger = ['--page-size', '100', '--account-page-size', '50'];
    const wanted = await freshTree(store, join(folder, 'sizes-fresh'), larger);
    const { code, stdout, stderr } = await palimpsestHere(buildArgs(store, out, [...larger, '--json']));
    expect([code, stderr, JSON.parse(stdout).removed]).toEqual([0, expect.stringContaining('may have missed some'), 10 + 3]);
    expect(differences(filesIn(out), wanted)).toEqual([]);
    expect(existsSync(join(out, 'rest/data/page/11')), 'no empty folder is left').toBe(false);
    await palimpsestJson(buildArgs(store, out, SIZES));
    expect(differences(filesIn(out), tree)).toEqual([]);
  });

  it('repairs the tree if its manifest is missing', async () => {
    const out = copyTree('no-manifest');
    rmSync(join(out, 'manifest-sha256.txt'));
    writeFileSync(join(out, 'rest/data/page/5/index.json'), '{}');
    await palimpsestJson(buildArgs(store, out, SIZES));
    expect(differences(filesIn(out), tree)).toEqual([]);
  });

  it.each<[string, (out: string) => void]>([
    ['a page is missing', (out) => rmSync(join(out, 'rest/data/page/7/index.json'))],
    ['a page and its folder are missing', (out) => rmSync(join(out, 'rest/account/page/3'), { recursive: true })],
    ['a page was edited', (out) => writeFileSync(join(out, 'rest/data/page/7/index.json'), '{"count":1000}')],
    ['a collection is missing', (out) => rmSync(join(out, 'rest/account'), { recursive: true })],
    ['all pages are missing', (out) => rmSync(join(out, 'rest'), { recursive: true })],
    [
      'a page has the contents of another page',
      (out) => copyFileSync(join(out, 'rest/data/page/8/index.json'), join(out, 'rest/data/page/9/index.json')),
    ],
    ['there is a surplus page', (out) => cpSync(join(out, 'rest/data/page/8'), join(out, 'rest/data/page/400'), { recursive: true })],
  ])('repairs the tree with --repair if %s, and writes no intact file', async (name, harm) => {
    const out = copyTree(`repair ${name}`);
    const marks = marksOf(out);
    harm(out);
    expect((await palimpsestHere(['verify', '--out', out, '--quiet'])).code).toBe(1);
    const intact = [...filesIn(out)].filter(([path, bytes]) => path.startsWith('rest/') && tree.get(path)?.equals(bytes) === true);
    await palimpsestJson(buildArgs(store, out, [...SIZES, '--repair']));
    expect(differences(filesIn(out), tree)).toEqual([]);
    expect(await verify(out)).toBe(0);
    const written = new Set(touched(marks, marksOf(out)));
    expect(intact.map(([path]) => path).filter((path) => written.has(path))).toEqual([]);
  });
});
