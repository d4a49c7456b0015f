import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { failureOf } from './failures.ts';
import { contentsOf, fileOf, folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
/** The records of the store before and after a change. */
const [BEFORE, AFTER] = [1_000, 2_000] as const;
const before = join(folder, 'before.db');
let lines: string[] = [];
let more = '';
let treeBefore: Files;

beforeAll(async () => {
  lines = await recordLines(AFTER, 300);
  await importLines(before, lines.slice(0, BEFORE));
  more = fileOf(folder, 'more.ndjson', lines.slice(BEFORE));
  treeBefore = await freshTree(before, join(folder, 'tree-before'), SIZES);
});

/** Copies the finished tree of the store's earlier state. Returns its folder. */
function copyTree(out: string): string {
  cpSync(join(folder, 'tree-before'), out, { recursive: true });
  return out;
}

async function verify(out: string, store?: string): Promise<unknown> {
  return palimpsestJson(['verify', '--out', out, ...(store === undefined ? [] : ['--store', store])]).then(
    (summary) => summary['violation_count'],
  );
}

it('an import fails with file-system if the store is below a file', async () => {
  const file = fileOf(folder, 'a-file', ['']);
  const { code, error } = await failureOf(['import', more, '--store', join(file, 'store.db')]);
  expect(code).toBe(1);
  expect(error).toMatchObject({ code: 'file-system' });
});

describe('an unusable store', () => {
  it.each(['build', 'verify'])('gives no-store in %s if it is missing', async (command) => {
    const store = join(folder, 'nowhere.db');
    const out = copyTree(join(folder, `nowhere-${command}`));
    const args = command === 'build' ? buildArgs(store, out, SIZES) : ['verify', '--store', store, '--out', out];
    const { code, error } = await failureOf(args);
    expect(code).toBe(1);
    expect(error).toMatchObject({ code: 'no-store', file: store, hint: expect.stringContaining('--store') });
    expect(existsSync(store)).toBe(false);
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });

  function another(path: string): void {
    const database = new Connection(path);
    database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY, json TEXT)');
    database.close();
  }

  it.each<[string, string, (path: string) => void]>([
    ['garbage', 'bad-store', (path) => writeFileSync(path, 'not a database at all\n'.repeat(500))],
    ['another database', 'bad-store', another],
  ])('gives an error and stays unchanged if it is %s', async (name, code, make) => {
    const store = join(folder, `${name}.db`);
    make(store);
    const bytes = readFileSync(store);
    const out = copyTree(join(folder, `out of ${name}`));
    for (const args of [buildArgs(store, out, SIZES), ['import', more, '--store', store], ['verify', '--out', out, '--store', store]]) {
      expect(await failureOf(args)).toMatchObject({ code: 1, error: { code, file: store } });
    }
    expect(readFileSync(store).equals(bytes), 'the store is unchanged').toBe(true);
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });
});

describe('an empty store', () => {
  const EMPTY = '{"count":0,"next":null,"previous":null,"results":[]}';

  it('is created by an import of nothing and built as two empty collections', async () => {
    const store = join(folder, 'empty.db');
    await importLines(store, ['[]']);
    const out = join(folder, 'empty');
    const tree = await freshTree(store, out);
    const paths = ['data', 'account'].flatMap((name) => ['', 'page/1/', 'page/last/'].map((at) => `rest/${name}/${at}index.json`));
    expect([...tree.keys()].sort()).toEqual(['build.json', 'manifest-sha256.txt', 'sort-keys.txt', ...paths].sort());
    for (const path of paths) expect(tree.get(path)?.toString()).toBe(EMPTY);
    expect(await verify(out, store)).toBe(0);
    await importLines(store, lines.slice(0, BEFORE));
    await palimpsestJson(buildArgs(store, out, SIZES));
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });
});

describe('a folder that palimpsest did not make', () => {
  it.each<[string, Record<string, string>]>([
    ['has a file', { 'notes.txt': 'mine' }],
    ['has a site', { 'index.html': '<p>', 'rest/data/index.json': '{}' }],
    ['has a build.json of another program', { 'build.json': '{"tool":"another"}', 'rest/data/index.json': '{}' }],
    ['has a build.json that is not JSON', { 'build.json': '{"palimpsest":"0.1' }],
    ['has a file beside hidden files', { '.git/HEAD': 'ref', 'a.txt': 'mine' }],
  ])('is refused by a build if it %s', async (name, files) => {
    const out = join(folder, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(out, path, '..'), { recursive: true });
      writeFileSync(join(out, path), text);
    }
    const marks = marksOf(out);
    for (const option of [[], ['--repair']]) {
      const { code, error } = await failureOf(buildArgs(before, out, [...SIZES, ...option]));
      expect(code).toBe(3);
      expect(error).toMatchObject({ code: 'not-ours', file: out, hint: expect.stringContaining('--out') });
      expect(marksOf(out)).toEqual(marks);
      expect(existsSync(join(out, '.palimpsest'))).toBe(false);
    }
  });

  it('is refused by a build if it is a file', async () => {
    const out = fileOf(folder, 'out-is-a-file', ['mine']);
    const { code, error } = await failureOf(buildArgs(before, out, SIZES));
    expect(code).toBe(3);
    expect(error).toMatchObject({ code: 'not-ours', found: 'a file' });
    expect(readFileSync(out, 'utf8')).toBe('mine\n');
  });

  it('is accepted by a build if it has only hidden files, and keeps them', async () => {
    const out = join(folder, 'hidden');
    mkdirSync(join(out, '.git'), { recursive: true });
    writeFileSync(join(out, '.git/HEAD'), 'ref');
    await palimpsestJson(buildArgs(before, out, SIZES));
    expect(differences(filesIn(out), new Map([...treeBefore, ['.git/HEAD', Buffer.from('ref')]]))).toEqual([]);
    expect(await verify(out, before)).toBe(0);
  });
});

describe('a base URL', () => {
  it.each([
    ['https://example.org', 'https://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org/some/path', 'https://example.org/some/path'],
    ['https://example.org/some/path///', 'https://example.org/some/path'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('of %s gives links below %s/rest', async (given, base) => {
    const out = join(folder, `base ${given.replaceAll(/\W/g, '-')}`);
    await palimpsestJson(['build', '--store', before, '--out', out, '--base-url', given, ...SIZES]);
    const page = JSON.parse(readFileSync(join(out, 'rest/data/page/2/index.json'), 'utf8'));
    expect([page.previous, page.next]).toEqual([`${base}/rest/data/`, `${base}/rest/data/?page=3`]);
    expect(await verify(out, before)).toBe(0);
  });

  it.each([
    ['example.org', 'write https://example.org'],
    ['localhost:8080', 'write https://localhost:8080'],
    ['ftp://example.org', 'such as https://'],
    ['https://example.org/?page=1', 'did you mean https://example.org?'],
    ['https://example.org?', 'did you mean https://example.org?'],
    ['https://example.org/#top', 'did you mean https://example.org?'],
    ['https://user:secret@example.org', 'did you mean https://example.org?'],
    ['https://:secret@example.org', 'did you mean https://example.org?'],
    ['https://example.org/rest/', 'did you mean https://example.org?'],
    ['', 'such as https://'],
    ['http://', 'such as https://'],
  ])('of "%s" is refused with the hint "%s"', async (given, hint) => {
    const out = join(folder, `base refused ${given.replaceAll(/\W/g, '-')}`);
    const { code, error } = await failureOf(['build', '--store', before, '--out', out, '--base-url', given]);
    expect(code).toBe(2);
    expect(error).toMatchObject({ code: 'usage', hint: expect.stringContaining(hint) });
    expect(existsSync(out)).toBe(false);
  });
});

describe('a build over a changed tree', () => {
  it('removes surplus pages after an increase of the page size', async () => {
    const out = copyTree(join(folder, 'sizes'));
    const larger = ['--page-size', '100', '--account-page-size', '50'];
    const wanted = await freshTree(before, join(folder, 'sizes-fresh'), larger);
    const { code, stdout, stderr } = await palimpsestHere(buildArgs(before, out, [...larger, '--json']));
    expect(code).toBe(0);
    expect(stderr).toContain('may have missed some');
    expect(JSON.parse(stdout).removed).toBe(90 + 23);
    expect(differences(filesIn(out), wanted)).toEqual([]);
    expect(existsSync(join(out, 'rest/data/page/11')), 'no empty folder is left').toBe(false);
    await palimpsestJson(buildArgs(before, out, SIZES));
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });

  it('repairs the tree if its manifest is missing', async () => {
    const out = copyTree(join(folder, 'no-manifest'));
    rmSync(join(out, 'manifest-sha256.txt'));
    writeFileSync(join(out, 'rest/data/page/5/index.json'), '{}');
    await palimpsestJson(buildArgs(before, out, SIZES));
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });

  it('refuses a tree without build.json and changes nothing', async () => {
    const out = copyTree(join(folder, 'no-word'));
    rmSync(join(out, 'build.json'));
    const marks = marksOf(out);
    for (const option of [[], ['--repair']]) {
      const { code, error } = await failureOf(buildArgs(before, out, [...SIZES, ...option]));
      expect(code).toBe(3);
      expect(error).toMatchObject({ code: 'not-ours' });
      expect(marksOf(out)).toEqual(marks);
    }
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
  ])('repairs the tree with --repair if %s', async (name, harm) => {
    const out = copyTree(join(folder, `repair ${name}`));
    const marks = marksOf(out);
    harm(out);
    expect((await palimpsestHere(['verify', '--out', out, '--quiet'])).code).toBe(1);
    const harmed = filesIn(out);
    await palimpsestJson(buildArgs(before, out, [...SIZES, '--repair']));
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
    expect(await verify(out, before)).toBe(0);
    // intact files are not written
    const intact = [...harmed].filter(([path, bytes]) => path.startsWith('rest/') && treeBefore.get(path)?.equals(bytes) === true);
    const written = new Set(touched(marks, marksOf(out)));
    expect(intact.map(([path]) => path).filter((path) => written.has(path))).toEqual([]);
  });
});

describe('a change of the store by another program', () => {
  /** Changes a store with SQL, like a user of sqlite3. */
  function edit(store: string, sql: string): void {
    const database = new Connection(store);
    expect(database.prepare(sql).run().changes).toBe(1);
    database.close();
  }

  it.each([
    ['a record', `UPDATE record SET json = json_set(json, '$.text', 'edited by hand') WHERE id = 500`, 'edited by hand', [1, 1]],
    [
      'an account',
      `UPDATE account SET summary = json_set(summary, '$.bio', 'a bio by hand'), known_to = 9e6 WHERE screen_name = 'user_9'`,
      'a bio by hand',
      [0, 1],
    ],
    [
      'the account of a record',
      `UPDATE record SET json = json_set(json, '$.account', 'user_9') WHERE id = (SELECT max(id) FROM record WHERE account <> 'user_9')`,
      '',
      [0, 0],
    ],
    ['a deleted record', 'DELETE FROM record WHERE id = 500', '', [0, 0]],
  ])('appears in the next build: %s', async (name, sql, text, shown) => {
    const store = join(folder, `edited ${name}.db`);
    copyFileSync(before, store);
    const out = copyTree(join(folder, `edited ${name}`));
    edit(store, sql);
    await palimpsestJson(buildArgs(store, out, SIZES));
    const found = filesIn(out);
    expect(differences(found, treeBefore)).not.toEqual([]);
    const showing = (collection: string) =>
      [...found].filter(([path, bytes]) => path.startsWith(`rest/${collection}/page/`) && text !== '' && bytes.includes(text)).length;
    expect([showing('data'), showing('account')]).toEqual(shown);
    // the tree must equal that of a store into which the edited records were imported
    const copy = join(folder, `edited ${name} copy.db`);
    const database = new Connection(store, { readonly: true });
    const records = database.prepare<[], string>('SELECT json FROM record').pluck().all();
    database.close();
    await importLines(copy, records);
    const wanted = await freshTree(copy, join(folder, `edited ${name} copy`), SIZES);
    if (name !== 'an account') expect(differences(found, wanted)).toEqual([]);
    expect(differences(found, await freshTree(store, join(folder, `edited ${name} fresh`), SIZES))).toEqual([]);
  });

  it('is refused by the store if no page could show it', () => {
    const store = join(folder, 'edited wrongly.db');
    copyFileSync(before, store);
    const database = new Connection(store);
    for (const sql of [
      `UPDATE record SET json = '{' WHERE id = 5`,
      `UPDATE record SET json = json_remove(json, '$.text') WHERE id = 5`,
      `UPDATE record SET json = json_set(json, '$.id', 6) WHERE id = 5`,
      `UPDATE record SET json = json_set(json, '$.account', 'nobody') WHERE id = 5`,
      `UPDATE record SET json = json_set(json, '$.first_encountered_date', 'yesterday') WHERE id = 5`,
    ]) {
      expect(() => database.prepare(sql).run(), sql).toThrow();
    }
    database.close();
    expect(contentsOf(store)).toBe(contentsOf(before));
  });
});

describe('a folder with files of another program', () => {
  it('is refused by a build even if it has the working folder of a build', async () => {
    const out = join(folder, 'shared-folder');
    mkdirSync(join(out, '.palimpsest'), { recursive: true });
    mkdirSync(join(out, 'rest/data/page/77'), { recursive: true });
    writeFileSync(join(out, 'rest/data/page/77/mine'), 'mine');
    expect((await failureOf(buildArgs(before, out, SIZES))).code).toBe(3);
    expect(readFileSync(join(out, 'rest/data/page/77/mine'), 'utf8')).toBe('mine');
  });
});
