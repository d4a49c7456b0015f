import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson, type RunOptions } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';
import { mountDisk } from './disks.ts';
import { failureOf } from './failures.ts';
import { pauseAtStep } from './steps.ts';
import { contentsOf, fileOf, folderOfFile, importLines, recordLines, snapshotLines } from './stores.ts';
import { buildArgs, buildStateOf, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '4', '--account-page-size', '10'];
/** The records of the store before and after a change. */
const [BEFORE, AFTER] = [150, 300] as const;
const before = join(folder, 'before.db');
const after = join(folder, 'after.db');
/** Matches a hint that promises an unchanged store. */
const UNCHANGED = /as it was|unchanged|not changed/;
let lines: string[] = [];
let more = '';
let treeBefore: Files;
let treeAfter: Files;

beforeAll(async () => {
  lines = await recordLines(AFTER, 60);
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
const NO_SPACE = { code: 'file-system', hint: expect.stringContaining('free some space') };

async function verify(out: string, store: string): Promise<unknown> {
  return (await palimpsestJson(['verify', '--out', out, '--store', store]))['violation_count'];
}

describe('a full disk', () => {
  /** Runs a batch on disks with this space beside the store. Each leaves the store unchanged, and no file, or is complete. */
  async function fill(context: TestContext, command: string, batch: string, spaces: readonly number[]): Promise<void> {
    const whole = join(folder, `${command} whole.db`);
    copyFileSync(before, whole);
    await palimpsestJson([command, batch, '--store', whole]);
    const codes = [];
    for (const space of cases(spaces)) {
      const size = kilobytesOf(new Map([['', readFileSync(before)]])) + space;
      const disk = mountDisk(context, join(folder, `full ${command} ${space}`), `size=${size}k`);
      const store = join(disk.folder, 'store.db');
      copyFileSync(before, store);
      const { code, stdout, stderr } = await palimpsest([command, batch, '--store', store, '--json']);
      disk.remount('size=100m');
      codes.push(code);
      if (code !== 0) {
        expect(stderr).not.toContain('    at ');
        const { error } = JSON.parse(stdout);
        expect(error).toMatchObject({ ...NO_SPACE, file: store });
        if (UNCHANGED.test(error.hint)) expect(contentsOf(store) === contentsOf(before), `unchanged, with ${space} kB`).toBe(true);
        expect([...filesIn(disk.folder).keys()].filter((name) => !/^store\.db-(wal|shm)$/.test(name))).toEqual(['store.db']);
        await palimpsestJson([command, batch, '--store', store]);
      }
      expect(contentsOf(store)).toBe(contentsOf(whole));
    }
    expect(codes).toContain(1);
  }

  it('leaves the store unchanged if an import says so in its hint', async (context) => {
    await fill(context, 'import', more, [40, 0, 200, 4_000]);
  });

  it('leaves the store unchanged and no other files, at any point of an observe', async (context) => {
    await fill(context, 'observe', fileOf(folder, 'seen.ndjson', await snapshotLines(300, 300)), [40, 300, 8_000]);
  });

  it('is not called a damaged backup, if only a part of it fits', async (context) => {
    const backup = join(folder, 'backup');
    await palimpsestJson(['store', 'push', backup, '--store', before]);
    const room = kilobytesOf(new Map([...filesIn(backup)].filter(([path]) => path.endsWith('.br'))));
    const disk = mountDisk(context, join(folder, 'full-pull'), `size=${room - 4}k`);
    const args = ['store', 'pull', backup, '--store', join(disk.folder, 'store.db')];
    expect(await failureOf(args, ON_ITS_OWN)).toMatchObject({ code: 1, error: NO_SPACE });
    expect([...filesIn(disk.folder).keys()]).toEqual([]);
  });

  it('leaves the tree unchanged if space runs out during rendering', async (context) => {
    const disk = mountDisk(context, join(folder, 'full-tree'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    const marks = marksOf(out);
    // a part of the new tree fits beside the old one; with browse files, all pages but only a few of these
    const html = [...SIZES, '--html'];
    for (const [options, space] of cases<[string[], number]>([
      [SIZES, 0.5 * kilobytesOf(treeAfter)],
      [SIZES, 0.9 * kilobytesOf(treeAfter)],
      [html, kilobytesOf(treeAfter) + 100],
    ])) {
      disk.remount(`size=${Math.floor(kilobytesOf(treeBefore) + space)}k`);
      expect(await failureOf(buildArgs(after, out, options), ON_ITS_OWN)).toMatchObject({ code: 1, error: { ...NO_SPACE, file: out } });
      expect(marksOf(out), 'no file written and no leftovers').toEqual(marks);
      expect(await verify(out, before)).toBe(0);
    }
    disk.remount('size=100m');
    await palimpsestJson(buildArgs(after, out, html));
    expect(differences(filesIn(out), await freshTree(after, join(folder, 'browse-after'), html))).toEqual([]);
  });

  it('does not stop the exchange of files once all files are staged', async (context) => {
    const inodes = marksOf(join(folder, 'tree-before')).size * 2 + treeAfter.size * 2;
    const disk = mountDisk(context, join(folder, 'full-folders'), `size=100m,nr_inodes=${inodes + 40}`);
    const out = copyTree(join(disk.folder, 'out'));
    // there is space for the staged files of the new tree beside the old tree; the exchange needs no more
    expect(await palimpsestHere(buildArgs(after, out, [...SIZES, '--quiet']))).toMatchObject({ code: 0, stderr: '' });
    expect(differences(filesIn(out), treeAfter)).toEqual([]);
  });

  it('never leaves an incomplete tree whose build.json is finished', async (context) => {
    // there is space for the pages of a first build, but for little more: the build fails at its last files
    const room = kilobytesOf(new Map([...treeAfter].filter(([path]) => path.startsWith('rest/'))));
    for (const extra of cases([4, -40, 40, 400])) {
      const disk = mountDisk(context, join(folder, `full-${room + extra}`), `size=${room + extra}k`);
      const out = join(disk.folder, 'out');
      const { code } = await palimpsest(buildArgs(after, out, [...SIZES, '--quiet']));
      // the build takes all space before it exchanges the first file, so no tree is left unfinished
      const state = existsSync(out) ? buildStateOf(out) : 'none';
      expect(['none', 'finished']).toContain(state);
      expect(code).toBe(state === 'finished' ? 0 : 1);
      if (extra <= 0) expect([state, existsSync(join(out, 'rest'))]).toEqual(['none', false]);
      if (extra >= 400) expect(state).toBe('finished');
      disk.remount('size=100m');
      await palimpsestJson(buildArgs(after, out, SIZES));
      expect(differences(filesIn(out), treeAfter)).toEqual([]);
    }
  });
});

describe('a disk without any space', () => {
  /** Mounts a disk, and fills it. */
  function mountFull(context: TestContext, name: string) {
    const disk = mountDisk(context, join(folder, name), 'size=64k');
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(64 << 10));
    return disk;
  }

  it('leaves no empty file that the next run refuses', async (context) => {
    const disk = mountFull(context, 'no-space');
    const store = join(folder, 'removed.db');
    copyFileSync(before, store);
    const [receipt, host] = [join(disk.folder, 'receipt.txt'), join(disk.folder, 'host')];
    const commands = [
      ['remove', 'nobody', '--allow-unknown', '--yes', '--store', store, '--receipt', receipt],
      ['rewrite', 'nginx', '--out', join(folder, 'tree-before'), '--to', host],
    ];
    const hint = expect.stringMatching(/--(to|receipt), or check the permissions and free space/);
    for (const args of commands) expect(await failureOf(args, ON_ITS_OWN)).toMatchObject({ code: 1, error: { code: 'file-system', hint } });
    // the removal needs the receipt
    expect(await palimpsestJson(['exclusions', '--store', store])).toMatchObject({ results: [] });
    expect([...filesIn(disk.folder).keys()]).toEqual(['filler']);
    disk.remount('size=10m');
    for (const args of commands) await palimpsestJson(args);
  });

  it('has to be freed before a removal can erase its bytes', async (context) => {
    const disk = mountDisk(context, join(folder, 'no-space-to-erase'), 'size=100m');
    const store = join(disk.folder, 'store.db');
    copyFileSync(before, store);
    const args = ['remove', JSON.parse(lines[0] ?? '').account, '--yes', '--store', store];
    // there is space for the removal, but not for a second copy of the store
    disk.remount(`size=${Math.floor(kilobytesOf(new Map([['', readFileSync(before)]])) * 1.7)}k`);
    const hint = expect.stringMatching(/^free some space on the disk of the store, /);
    const { code, error } = await failureOf(args, ON_ITS_OWN);
    expect({ code, error }).toMatchObject({ code: 1, error: { code: 'file-system', found: 'database or disk is full', hint } });
    disk.remount('size=100m');
    await palimpsestJson(args);
    expect(await palimpsestJson(['exclusions', '--store', store])).toMatchObject({ results: [{ erased: true }] });
  });

  it('for a rejects file has to be freed, and the store is unchanged', async (context) => {
    const rejects = join(mountFull(context, 'no-space-for-rejects').folder, 'rejects.ndjson');
    const store = join(folder, 'rejecting.db');
    copyFileSync(before, store);
    const error = { ...NO_SPACE, file: rejects };
    const args = ['observe', fileOf(folder, 'bad.ndjson', ['{"screen_name":7}']), '--store', store, '--rejects', rejects];
    expect(await failureOf(args, ON_ITS_OWN)).toMatchObject({ code: 1, error });
    expect(contentsOf(store)).toBe(contentsOf(before));
  });

  it('for temporary files is named by a command that needs one', async (context) => {
    const { folder: full } = mountFull(context, 'no-temporary-space');
    const [store, zip, target] = [join(folder, 'published.db'), join(folder, 'tree.zip'), join(folder, 'versions')];
    copyFileSync(before, store);
    await palimpsestJson(buildArgs(store, zip, SIZES));
    await palimpsestJson(['publish', target, '--out', zip, '--store', store, '--allow-loopback']);
    const error = {
      code: 'file-system',
      file: expect.stringContaining(full),
      hint: expect.stringContaining(`${full}: the variable TMPDIR`),
    };
    expect(await failureOf(['verify', target], { ...ON_ITS_OWN, env: { TMPDIR: full } })).toMatchObject({ code: 1, error });
  });
});

describe('a read-only disk', () => {
  it('makes a build fail with the name of the folder, and an import with that of the store', async (context) => {
    const disk = mountDisk(context, join(folder, 'read-only'), 'size=100m');
    const out = copyTree(join(disk.folder, 'out'));
    copyFileSync(before, join(disk.folder, 'store.db'));
    const marks = marksOf(out);
    disk.remount('ro');
    for (const place of [out, join(disk.folder, 'new')]) {
      const error = { code: 'file-system', file: place, hint: expect.stringContaining('--out') };
      expect(await failureOf(buildArgs(after, place, SIZES))).toMatchObject({ code: 1, error });
    }
    expect(marksOf(out)).toEqual(marks);
    expect(await verify(out, before)).toBe(0);
    for (const name of ['store.db', 'new.db', 'folder/new.db']) {
      const store = join(disk.folder, name);
      expect(await failureOf(['import', more, '--store', store])).toMatchObject({ code: 1, error: { code: 'file-system', file: store } });
    }
  });

  it('lets a build read a store, or makes it fail with the name of the store', async (context) => {
    const disk = mountDisk(context, join(folder, 'read-only-build'), 'size=100m');
    const store = join(disk.folder, 'store.db');
    await importLines(store, lines.slice(0, BEFORE));
    // the store as an import left it, and then only its main file
    for (const name of ['left', 'alone']) {
      disk.remount('rw');
      if (name === 'alone') for (const suffix of ['-wal', '-shm']) rmSync(store + suffix, { force: true });
      disk.remount('ro');
      const out = join(folder, `read-only ${name}`);
      const args = buildArgs(store, out, SIZES);
      if ((await palimpsestHere([...args, '--quiet'])).code === 0) {
        expect(differences(filesIn(out), treeBefore)).toEqual([]);
        continue;
      }
      const error = { code: 'file-system', file: store, hint: expect.stringContaining('copy the store to a writable folder') };
      expect(await failureOf(args)).toMatchObject({ code: 1, error });
      expect(existsSync(out)).toBe(false);
    }
  });
});

describe('a build over an unfinished tree', () => {
  it('completes it, and does not write again what is there', async () => {
    const out = copyTree(join(folder, 'unfinished'));
    const args = buildArgs(after, out, SIZES);
    // the first rename is that of build.json
    const paused = await pauseAtStep(join(folder, 'gate'), 'rename', 30, args);
    await paused.kill();
    expect([buildStateOf(out), existsSync(join(out, '.palimpsest/lock'))]).toEqual(['unfinished', true]);
    const verified = await palimpsestHere(['verify', '--out', out, '--json']);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.stdout).violations).toMatchObject([{ rule: 'build-record', found: expect.stringContaining('unfinished') }]);
    const marks = marksOf(out);
    await palimpsestJson(args);
    expect(differences(filesIn(out), treeAfter)).toEqual([]);
    expect(existsSync(join(out, '.palimpsest'))).toBe(false);
    expect(touched(marks, marksOf(out)).length).toBeLessThan(treeAfter.size - 10);
  });
});
