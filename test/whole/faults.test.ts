import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { mountDisk } from './disks.ts';
import { isUnfinished, runAndKill } from './killing.ts';
import { slowDisk } from './slow-disk.ts';
import { contentsOf, fileOf, folderOfFile, importLines, recordLines, snapshotLines } from './stores.ts';
import { buildArgs, buildStateOf, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
const before = join(folder, 'before.db');
const after = join(folder, 'after.db');
/** Matches a hint that promises an unchanged store. */
const UNCHANGED = /as it was|unchanged|not changed/;
let lines: string[] = [];
let more = '';
let treeBefore: Files;
let treeAfter: Files;

beforeAll(async () => {
  lines = await recordLines(6_000, 300);
  await importLines(before, lines.slice(0, 3_000));
  copyFileSync(before, after);
  more = fileOf(folder, 'more.ndjson', lines.slice(3_000));
  await palimpsestJson(['import', more, '--store', after]);
  treeBefore = await freshTree(before, join(folder, 'tree-before'), SIZES);
  treeAfter = await freshTree(after, join(folder, 'tree-after'), SIZES);
});

/** Copies the finished tree of the store's earlier state. Returns its folder. */
function copyTree(out: string): string {
  cpSync(join(folder, 'tree-before'), out, { recursive: true });
  return out;
}

/** Runs a command that must fail. Checks the error on standard error and returns the JSON error. */
async function failureOf(args: readonly string[], env: Record<string, string> = {}): Promise<{ code: number | null; error: unknown }> {
  const { code, stdout, stderr } = await palimpsest([...args, '--json'], { env });
  expect(stderr, 'no stack trace').not.toContain('    at ');
  expect(stderr).not.toContain('bug in palimpsest');
  expect(stdout, `exit code ${code}, and no error on standard output: ${stderr}`).toContain('{"error":');
  const { error } = JSON.parse(stdout);
  expect(stderr.startsWith(`error: ${error.message} (${error.code})\n`)).toBe(true);
  return { code, error };
}

async function verify(out: string, store?: string): Promise<unknown> {
  return palimpsestJson(['verify', '--out', out, ...(store === undefined ? [] : ['--store', store])]).then(
    (summary) => summary['violationCount'],
  );
}

describe('a full disk', () => {
  it('leaves the store unchanged if an import says so in its hint', async (context) => {
    let failed = 0;
    for (const megabytes of [4, 5, 7, 8, 9, 10, 11, 14, 20]) {
      const disk = mountDisk(context, join(folder, `full-store-${megabytes}`), `size=${megabytes}m`);
      const store = join(disk.folder, 'store.db');
      copyFileSync(before, store);
      const finished = await palimpsest(['import', more, '--store', store, '--json']);
      disk.remount('size=100m');
      const contents = contentsOf(store);
      if (finished.code === 0) {
        expect(contents).toBe(contentsOf(after));
        continue;
      }
      failed += 1;
      expect(finished.code).toBe(1);
      expect(finished.stderr).not.toContain('    at ');
      const { error } = JSON.parse(finished.stdout);
      expect(error).toMatchObject({ code: 'file-system', file: store, hint: expect.stringContaining('free some space') });
      if (UNCHANGED.test(error.hint)) expect(contents === contentsOf(before), `unchanged, on ${megabytes} MB`).toBe(true);
      await palimpsestJson(['import', more, '--store', store]);
      expect(contentsOf(store)).toBe(contentsOf(after));
    }
    expect(failed).toBeGreaterThan(2);
  });

  it('leaves the store unchanged and no other files, at any point of an observe', async (context) => {
    const batch = fileOf(folder, 'snapshots.ndjson', await snapshotLines(3_000, 3_000));
    const whole = join(folder, 'observed.db');
    copyFileSync(before, whole);
    await palimpsestJson(['observe', batch, '--store', whole]);
    const outcomes: string[] = [];
    for (const megabytes of [4, 5, 7, 10]) {
      const disk = mountDisk(context, join(folder, `full-observe-${megabytes}`), `size=${megabytes}m`);
      const store = join(disk.folder, 'store.db');
      copyFileSync(before, store);
      const finished = await palimpsest(['observe', batch, '--store', store, '--json']);
      disk.remount('size=200m');
      outcomes.push(`${megabytes} MB: ${finished.code}`);
      if (finished.code !== 0) {
        expect(finished.code).toBe(1);
        expect(finished.stderr).not.toContain('    at ');
        const { error } = JSON.parse(finished.stdout);
        expect(error).toMatchObject({ code: 'file-system', file: store, hint: expect.stringContaining('free some space') });
        if (UNCHANGED.test(error.hint)) expect(contentsOf(store)).toBe(contentsOf(before));
        expect([...filesIn(disk.folder).keys()].filter((name) => !/^store\.db-(wal|shm)$/.test(name))).toEqual(['store.db']);
        await palimpsestJson(['observe', batch, '--store', store]);
      }
      expect(contentsOf(store)).toBe(contentsOf(whole));
    }
    console.log(`observe on a full disk: ${outcomes.join(', ')}`);
    expect(outcomes.filter((outcome) => outcome.endsWith('1')).length).toBeGreaterThan(2);
  }, 240_000);

  it('leaves the tree unchanged if space runs out during rendering', async (context) => {
    const disk = mountDisk(context, join(folder, 'full-tree'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    const marks = marksOf(out);
    // each size is larger than the one before, but too small
    for (const megabytes of [5, 6, 8]) {
      disk.remount(`size=${megabytes}m`);
      const { code, error } = await failureOf(buildArgs(after, out, SIZES));
      expect(code).toBe(1);
      expect(error).toMatchObject({ code: 'file-system', file: out, hint: expect.stringContaining('free some space') });
      expect(marksOf(out), 'no file written and no leftovers').toEqual(marks);
      expect(await verify(out, before)).toBe(0);
    }
    disk.remount('size=100m');
    await palimpsestJson(buildArgs(after, out, SIZES));
    expect(differences(filesIn(out), treeAfter)).toEqual([]);
  });

  it('does not stop the exchange of files once all files are staged', async (context) => {
    const inodes = marksOf(join(folder, 'tree-before')).size * 2 + treeAfter.size * 2;
    const disk = mountDisk(context, join(folder, 'full-folders'), `size=100m,nr_inodes=${inodes + 40}`);
    const out = copyTree(join(disk.folder, 'out'));
    const finished = await palimpsest(buildArgs(after, out, [...SIZES, '--json']));
    // there is space for the staged files of the new tree beside the old tree; the exchange needs no more
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(differences(filesIn(out), treeAfter)).toEqual([]);
  });

  it('leaves the tree unchanged if space runs out while browse files are rendered, and the next build adds them', async (context) => {
    const disk = mountDisk(context, join(folder, 'full-browse'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    const marks = marksOf(out);
    const html = [...SIZES, '--html'];
    // there is space for the new pages, but for few browse files
    const used = [...treeBefore.values(), ...treeAfter.values()].reduce((sum, bytes) => sum + Math.ceil(bytes.length / 4096) * 4, 0);
    disk.remount(`size=${used + 400}k`);
    expect(await failureOf(buildArgs(after, out, html))).toMatchObject({ code: 1, error: { code: 'file-system', file: out } });
    expect(marksOf(out), 'no file written and no leftovers').toEqual(marks);
    disk.remount('size=200m');
    await palimpsestJson(buildArgs(after, out, html));
    expect(differences(filesIn(out), await freshTree(after, join(folder, 'browse-after'), html))).toEqual([]);
  });

  it('never leaves an incomplete tree whose build.json is finished', async (context) => {
    // there is space for the pages of a first build, but for little more: the build fails at its last files
    const pages = [...treeAfter].filter(([path]) => path.startsWith('rest/'));
    const room = pages.reduce((sum, [, bytes]) => sum + Math.ceil(bytes.length / 4096), 0);
    const states = new Set<string>();
    for (const extra of [-20, 0, 1, 2, 10, 40]) {
      const disk = mountDisk(context, join(folder, `full-${room + extra}`), `size=${(room + extra) * 4}k`);
      const out = join(disk.folder, 'out');
      const { code } = await palimpsest(buildArgs(after, out, [...SIZES, '--quiet']));
      const state = existsSync(out) ? buildStateOf(out) : 'none';
      states.add(state);
      expect(code).toBe(state === 'finished' ? 0 : 1);
      if (state === 'finished') expect(differences(filesIn(out), treeAfter)).toEqual([]);
      if (state === 'none') expect(existsSync(join(out, 'rest'))).toBe(false);
      disk.remount('size=100m');
      await palimpsestJson(buildArgs(after, out, SIZES));
      expect(differences(filesIn(out), treeAfter)).toEqual([]);
    }
    // the build takes all space before it exchanges the first file, so no tree is left unfinished
    expect(states).toEqual(new Set(['none', 'finished']));
  });
});

describe('a read-only disk', () => {
  it('makes a build fail with the name of the folder', async (context) => {
    const disk = mountDisk(context, join(folder, 'read-only-out'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    const marks = marksOf(out);
    disk.remount('ro');
    for (const place of [out, join(disk.folder, 'new')]) {
      const { code, error } = await failureOf(buildArgs(after, place, SIZES));
      expect(code).toBe(1);
      expect(error).toMatchObject({ code: 'file-system', file: place, hint: expect.stringContaining('--out') });
    }
    expect(marksOf(out)).toEqual(marks);
    expect(await verify(out, before)).toBe(0);
  });

  it('makes an import fail with the name of the store', async (context) => {
    const disk = mountDisk(context, join(folder, 'read-only-store'), 'size=100m');
    copyFileSync(before, join(disk.folder, 'store.db'));
    disk.remount('ro');
    for (const name of ['store.db', 'new.db', 'folder/new.db']) {
      const store = join(disk.folder, name);
      const { code, error } = await failureOf(['import', more, '--store', store]);
      expect(code).toBe(1);
      expect(error).toMatchObject({ code: 'file-system', file: store });
    }
  });

  it('lets a build read a store, or makes it fail with the name of the store', async (context) => {
    const disk = mountDisk(context, join(folder, 'read-only-build'), 'size=100m');
    const store = join(disk.folder, 'store.db');
    await importLines(store, lines.slice(0, 3_000));
    disk.remount('ro');
    // the store as an import left it, and then only its main file
    for (const [index, name] of ['left', 'alone'].entries()) {
      if (index === 1) {
        disk.remount('rw');
        for (const suffix of ['-wal', '-shm']) rmSync(store + suffix, { force: true });
        disk.remount('ro');
      }
      const out = join(folder, `read-only ${name}`);
      const args = buildArgs(store, out, SIZES);
      if ((await palimpsest([...args, '--quiet'])).code === 0) {
        expect(differences(filesIn(out), treeBefore)).toEqual([]);
        continue;
      }
      const { code, error } = await failureOf(args);
      expect(code).toBe(1);
      expect(error).toMatchObject({ code: 'file-system', file: store, hint: expect.stringContaining('folder') });
      expect(existsSync(out)).toBe(false);
    }
  });
});

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
    [
      'from a newer palimpsest',
      'store-newer',
      (path) => {
        copyFileSync(before, path);
        const database = new Connection(path);
        database.exec('PRAGMA user_version = 1000');
        database.close();
      },
    ],
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

  /** Overwrites the last page of a store's file that contains a text. */
  function damage(store: string, text: string): void {
    const bytes = readFileSync(store);
    const size = bytes.readUInt16BE(16);
    const at = bytes.lastIndexOf(text);
    expect(at).toBeGreaterThan(0);
    bytes.fill(0x55, at - (at % size), at - (at % size) + size);
    writeFileSync(store, bytes);
  }

  // each thread begins at one end: the main thread with the newest record, the worker with the last account
  it.each([
    ['the newest record', () => `{"id":6000,`, {}],
    [
      'the last account',
      () => `{"screen_name":"${lastAccount()}","account_creation_date":null,"profile_image_url":"","data":[`,
      { write: 5 },
    ],
  ])('gives bad-store in a build if it is damaged at %s', async (name, text, slowness) => {
    const store = join(folder, `damaged ${name}.db`);
    copyFileSync(after, store);
    damage(store, text());
    const out = copyTree(join(folder, `damaged ${name}`));
    const { code, error } = await failureOf(buildArgs(store, out, SIZES), slowDisk(slowness));
    expect(code).toBe(1);
    expect(error).toMatchObject({ code: 'bad-store', file: store });
    expect(differences(filesIn(out), treeBefore)).toEqual([]);
  });

  function lastAccount(): string {
    const page = JSON.parse(treeAfter.get('rest/account/page/last/index.json')?.toString() ?? '');
    return page.results.at(-1).screen_name;
  }
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
    await importLines(store, lines.slice(0, 3_000));
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
  it('completes an unfinished tree', async () => {
    const out = copyTree(join(folder, 'unfinished'));
    const args = buildArgs(after, out, SIZES);
    const { signal } = await runAndKill(args, { sign: () => isUnfinished(out), delay: 100 }, { env: slowDisk({ rename: 1 }) });
    expect(signal).toBe('SIGKILL');
    expect(buildStateOf(out)).toBe('unfinished');
    const verified = await palimpsest(['verify', '--out', out, '--json']);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.stdout).violations).toMatchObject([{ rule: 'build-record', found: expect.stringContaining('unfinished') }]);
    const marks = marksOf(out);
    await palimpsestJson(args);
    expect(differences(filesIn(out), treeAfter)).toEqual([]);
    // files that were already exchanged are not written again
    expect(touched(marks, marksOf(out)).length).toBeLessThan(treeAfter.size - 10);
  });

  it('removes surplus pages after an increase of the page size', async () => {
    const out = copyTree(join(folder, 'sizes'));
    const larger = ['--page-size', '100', '--account-page-size', '50'];
    const wanted = await freshTree(before, join(folder, 'sizes-fresh'), larger);
    const { code, stdout, stderr } = await palimpsest(buildArgs(before, out, [...larger, '--json']));
    expect(code).toBe(0);
    expect(stderr).toContain('may have missed some');
    expect(JSON.parse(stdout).removed).toBe(270 + 24);
    expect(differences(filesIn(out), wanted)).toEqual([]);
    expect(existsSync(join(out, 'rest/data/page/31')), 'no empty folder is left').toBe(false);
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
    ['a page was edited', (out) => writeFileSync(join(out, 'rest/data/page/7/index.json'), '{"count":3000}')],
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
    expect((await palimpsest(['verify', '--out', out, '--quiet'])).code).toBe(1);
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
    ['a record', `UPDATE record SET json = json_set(json, '$.text', 'edited by hand') WHERE id = 1500`, 'edited by hand', [1, 1]],
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
    ['a deleted record', 'DELETE FROM record WHERE id = 1500', '', [0, 0]],
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
    expect((await failureOf(buildArgs(after, out, SIZES))).code).toBe(3);
    expect(readFileSync(join(out, 'rest/data/page/77/mine'), 'utf8')).toBe('mine');
  });
});
