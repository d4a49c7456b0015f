import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson, type RunOptions } from '../support/palimpsest.ts';
import { cases, isOne } from '../support/proof.ts';
import { mountDisk } from './disks.ts';
import { failureOf } from './failures.ts';
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

describe('an unusable store', () => {
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
});
