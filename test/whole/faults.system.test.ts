import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson, type RunOptions } from '../support/palimpsest.ts';
import { cases, isOne } from '../support/proof.ts';
import { mountDisk } from './disks.ts';
import { isUnfinished, runAndKill } from './killing.ts';
import { slowDisk } from './slow-disk.ts';
import { contentsOf, fileOf, folderOfFile, importLines, recordLines, snapshotLines } from './stores.ts';
import { buildArgs, buildStateOf, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
/** The records of the store before and after a change. The pages after it are enough for two threads. */
const [BEFORE, AFTER] = [1_000, 2_000] as const;
const before = join(folder, 'before.db');
const after = join(folder, 'after.db');
/** Matches a hint that promises an unchanged store. */
const UNCHANGED = /as it was|unchanged|not changed/;
let lines: string[] = [];
let more = '';
let treeBefore: Files;
let treeAfter: Files;

beforeAll(async () => {
  lines = await recordLines(AFTER, 300);
  await importLines(before, lines.slice(0, BEFORE));
  copyFileSync(before, after);
  more = fileOf(folder, 'more.ndjson', lines.slice(BEFORE));
  await palimpsestJson(['import', more, '--store', after]);
  treeBefore = await freshTree(before, join(folder, 'tree-before'), SIZES);
  treeAfter = await freshTree(after, join(folder, 'tree-after'), SIZES);
});

/** Returns the space that files take on a disk, in kilobytes. */
function kilobytesOf(files: Files): number {
  return [...files.values()].reduce((sum, { length }) => sum + Math.ceil(length / 4096) * 4, 0);
}

/** Copies the finished tree of the store's earlier state. Returns its folder. */
function copyTree(out: string): string {
  cpSync(join(folder, 'tree-before'), out, { recursive: true });
  return out;
}

/** A disk that is full can only be unmounted when the process of the failed command has ended. */
const ON_ITS_OWN: RunOptions = { ownProcess: true };

/** Runs a command that must fail. Checks the error on standard error and returns the JSON error. */
async function failureOf(args: readonly string[], options: RunOptions = {}): Promise<{ code: number | null; error: unknown }> {
  const { code, stdout, stderr } = await palimpsestHere([...args, '--json'], options);
  expect(stderr, 'no stack trace').not.toContain('    at ');
  expect(stderr).not.toContain('bug in palimpsest');
  expect(stdout, `exit code ${code}, and no error on standard output: ${stderr}`).toContain('{"error":');
  const { error } = JSON.parse(stdout);
  expect(stderr.startsWith(`error: ${error.message} (${error.code})\n`)).toBe(true);
  return { code, error };
}

async function verify(out: string, store?: string): Promise<unknown> {
  return palimpsestJson(['verify', '--out', out, ...(store === undefined ? [] : ['--store', store])]).then(
    (summary) => summary['violation_count'],
  );
}

describe('a full disk', () => {
  it('leaves the store unchanged if an import says so in its hint', async (context) => {
    let failed = 0;
    // the store takes 1.4 MB before the import and 2.3 MB after it
    for (const kilobytes of cases([1_600, 1_900, 2_200, 2_600, 3_200, 4_000, 8_000])) {
      const disk = mountDisk(context, join(folder, `full-store-${kilobytes}`), `size=${kilobytes}k`);
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
      if (UNCHANGED.test(error.hint)) expect(contents === contentsOf(before), `unchanged, on ${kilobytes} kB`).toBe(true);
      await palimpsestJson(['import', more, '--store', store]);
      expect(contentsOf(store)).toBe(contentsOf(after));
    }
    expect(failed).toBeGreaterThan(isOne ? 0 : 2);
  });

  it('leaves the store unchanged and no other files, at any point of an observe', async (context) => {
    const batch = fileOf(folder, 'snapshots.ndjson', await snapshotLines(1_000, 1_000));
    const whole = join(folder, 'observed.db');
    copyFileSync(before, whole);
    await palimpsestJson(['observe', batch, '--store', whole]);
    const outcomes: string[] = [];
    for (const kilobytes of cases([1_600, 2_000, 2_600, 10_000])) {
      const disk = mountDisk(context, join(folder, `full-observe-${kilobytes}`), `size=${kilobytes}k`);
      const store = join(disk.folder, 'store.db');
      copyFileSync(before, store);
      const finished = await palimpsest(['observe', batch, '--store', store, '--json']);
      disk.remount('size=200m');
      outcomes.push(`${kilobytes} kB: ${finished.code}`);
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
    expect(outcomes.filter((outcome) => outcome.endsWith('1')).length).toBeGreaterThan(isOne ? 0 : 2);
  }, 240_000);

  it('leaves the tree unchanged if space runs out during rendering', async (context) => {
    const disk = mountDisk(context, join(folder, 'full-tree'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    const marks = marksOf(out);
    // a part of the new tree fits beside the old one
    for (const share of cases([0.1, 0.5, 0.9])) {
      disk.remount(`size=${Math.floor(kilobytesOf(treeBefore) + share * kilobytesOf(treeAfter))}k`);
      const { code, error } = await failureOf(buildArgs(after, out, SIZES), ON_ITS_OWN);
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
    const finished = await palimpsestHere(buildArgs(after, out, [...SIZES, '--json']));
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
    disk.remount(`size=${kilobytesOf(treeBefore) + kilobytesOf(treeAfter) + 400}k`);
    expect(await failureOf(buildArgs(after, out, html), ON_ITS_OWN)).toMatchObject({ code: 1, error: { code: 'file-system', file: out } });
    expect(marksOf(out), 'no file written and no leftovers').toEqual(marks);
    disk.remount('size=200m');
    await palimpsestJson(buildArgs(after, out, html));
    expect(differences(filesIn(out), await freshTree(after, join(folder, 'browse-after'), html))).toEqual([]);
  });

  it('never leaves an incomplete tree whose build.json is finished', async (context) => {
    // there is space for the pages of a first build, but for little more: the build fails at its last files
    const room = kilobytesOf(new Map([...treeAfter].filter(([path]) => path.startsWith('rest/'))));
    const states = new Set<string>();
    for (const extra of isOne ? [-80, 160] : [-80, 0, 4, 8, 40, 160]) {
      const disk = mountDisk(context, join(folder, `full-${room + extra}`), `size=${room + extra}k`);
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
    await importLines(store, lines.slice(0, BEFORE));
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
      if ((await palimpsestHere([...args, '--quiet'])).code === 0) {
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
    ['the newest record', () => `{"id":${AFTER},`, {}],
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
    const { code, error } = await failureOf(buildArgs(store, out, SIZES), { env: slowDisk(slowness) });
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
  it('completes an unfinished tree', async () => {
    const out = copyTree(join(folder, 'unfinished'));
    const args = buildArgs(after, out, SIZES);
    // the last pages are exchanged first, so twenty of the new pages are there
    const sign = () => isUnfinished(out) && existsSync(join(out, 'rest/data/page/180'));
    const { signal } = await runAndKill(args, { sign, delay: 0 }, { env: slowDisk({ rename: 5 }) });
    expect(signal).toBe('SIGKILL');
    expect(buildStateOf(out)).toBe('unfinished');
    const verified = await palimpsestHere(['verify', '--out', out, '--json']);
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
    expect((await failureOf(buildArgs(after, out, SIZES))).code).toBe(3);
    expect(readFileSync(join(out, 'rest/data/page/77/mine'), 'utf8')).toBe('mine');
  });
});
