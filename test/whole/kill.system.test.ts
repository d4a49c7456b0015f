import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sources } from '../commands/sources.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { killAtSteps } from './steps.ts';
import { contentsOf, fileOf, folderOfFile, recordLines, snapshotLines } from './stores.ts';
import { buildArgs, buildStateOf, differences, type Files, freshTree, pagesIn } from './trees.ts';

/** How often each command is killed. */
const KILLS = timesInProcess('kills of each command', 4, 60);
const RECORDS = 400;

const folder = folderOfFile();
/** Two states of one store: records of the second are older than many of the first. */
const [old, young] = [join(folder, 'old.db'), join(folder, 'young.db')];
let batch = '';

beforeAll(async () => {
  const lines = await recordLines(RECORDS, 60);
  const isOld = (_: string, index: number) => index < RECORDS * 0.9 && index % 10 !== 7;
  await palimpsestJson(['import', fileOf(folder, 'old.ndjson', lines.filter(isOld)), '--store', old]);
  batch = fileOf(folder, 'all.ndjson', lines);
  copyFileSync(old, young);
  await palimpsestJson(['import', batch, '--store', young]);
});

describe('a killed batch', () => {
  /** Replaces a store and the files that a killed run left by a copy of another store, or by nothing. */
  function resetStore(store: string, from: string | undefined): void {
    for (const suffix of ['', '-wal', '-journal', '-shm']) rmSync(store + suffix, { force: true });
    if (from !== undefined) copyFileSync(from, store);
  }

  /** Kills a command that changes a store, and checks that the store has all of it or nothing, and that the next run completes it. */
  async function killBatch(name: string, command: string, source: string, from: string | undefined): Promise<void> {
    const place = join(folder, name);
    mkdirSync(place);
    const store = join(place, 'store.db');
    const args = [command, source, '--store', store];
    resetStore(store, from);
    await palimpsestJson(args);
    const after = contentsOf(store);
    const reset = () => resetStore(store, from);
    await killAtSteps(folder, args, KILLS, reset, async (step) => {
      const { stderr } = await palimpsestHere(['accounts', '--store', store, '--quiet']);
      // a new store is not there before its first batch is
      if (from !== undefined || stderr === '')
        expect(from === undefined ? [after] : [contentsOf(from), after], step).toContain(contentsOf(store));
      else expect(stderr, step).toContain('(no-store)');
      await palimpsestJson(args);
      expect(contentsOf(store), step).toBe(after);
      expect(
        readdirSync(place).filter((file) => !file.startsWith('store.db')),
        step,
      ).toEqual([]);
    });
  }

  /** Snapshots, some of which a store has observed before. */
  async function observedBefore(): Promise<readonly [source: string, store: string]> {
    const lines = await snapshotLines(RECORDS, 40);
    const renamed = lines.map((line, index) => (index > RECORDS / 2 ? line.replace(/"user_(\d+)7"/, '"renamed_$17"') : line));
    const seen = join(folder, 'seen.db');
    await palimpsestJson(['observe', fileOf(folder, 'seen.ndjson', renamed.slice(0, RECORDS / 3)), '--store', seen]);
    return [fileOf(folder, 'see.ndjson', renamed.slice(RECORDS / 4).toReversed()), seen];
  }

  it.each([
    ['of an import', 'import', () => [batch, old] as const],
    ['of an import that creates a store', 'import', () => [batch, undefined] as const],
    ['of an observe', 'observe', observedBefore],
  ])('%s leaves the store as before or complete, and the next run completes it', async (name, command, prepare) => {
    const [source, from] = await prepare();
    await killBatch(name, command, source, from);
  });
});

it('a killed removal leaves the store before or after it, and the next one completes it and erases every byte', async () => {
  const place = join(folder, 'removal');
  mkdirSync(place);
  const store = join(place, 'store.db');
  const args = ['remove', 'user_9', '--yes', '--store', store];
  const reset = () => {
    rmSync(place, { recursive: true });
    mkdirSync(place);
    copyFileSync(young, store);
  };
  reset();
  await palimpsestJson(args);
  const after = contentsOf(store);
  await killAtSteps(folder, args, KILLS, reset, async (step) => {
    expect([contentsOf(young), after], step).toContain(contentsOf(store));
    await palimpsestJson(args);
    expect(contentsOf(store), step).toBe(after);
    expect(
      [...filesIn(place)].filter(([, bytes]) => bytes.includes('"user_9"')).map(([path]) => path),
      step,
    ).toEqual([]);
  });
});

/** A file without a name is removed as soon as it exists. A kill between both leaves it, without content. */
const isUnnamed = (bytes: Buffer) => bytes.length === 0;

it('a killed observe with --rejects leaves no other file with content, and a repeated run writes every reject once', async () => {
  const folder = temporaryFolder();
  const [source, beside, expected] = [join(folder, 'source.ndjson'), join(folder, 'beside'), join(folder, 'expected')];
  const rejects = join(beside, 'rejects.ndjson');
  const snapshots = Array.from({ length: 100 }, (_, index) => ({
    observed_at: new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString(),
    screen_name: 'jack',
    bio: index % 2 === 0 ? `bio ${index}` : 5,
  }));
  fileOf(
    folder,
    'source.ndjson',
    snapshots.map((one) => JSON.stringify(one)),
  );
  mkdirSync(beside);
  const args = ['observe', source, '--store', join(folder, 'store', 'store.db'), '--rejects', rejects, '--max-rejected', '100%'];
  await palimpsestJson(args);
  copyFileSync(rejects, expected);
  expect(readFileSync(expected, 'utf8').split('\n')).toHaveLength(51);
  const reset = () => {
    rmSync(rejects, { force: true });
    rmSync(join(folder, 'store'), { recursive: true, force: true });
  };
  await killAtSteps(folder, args, KILLS, reset, async (step) => {
    expect(
      [...filesIn(beside)].filter(([name, bytes]) => name !== 'rejects.ndjson' && !isUnnamed(bytes)).map(([name]) => name),
      step,
    ).toEqual([]);
    await palimpsestJson(args);
    await palimpsestJson(args);
    expect(readFileSync(rejects).equals(readFileSync(expected)), step).toBe(true);
  });
});

it('a killed normalize leaves a complete file or none, and the next one completes it', async () => {
  const folder = temporaryFolder();
  const source = sources(temporaryFolder());
  const command = (run: string) => ['normalize', source, '--to', join(folder, run, 'part.ndjson.gz')];
  await palimpsestJson(command('whole'));
  const whole = filesIn(join(folder, 'whole'));
  const killed = join(folder, 'killed');
  const reset = () => rmSync(killed, { recursive: true, force: true });
  await killAtSteps(folder, command('killed'), KILLS, reset, async (step) => {
    const left = existsSync(killed) ? filesIn(killed) : new Map<string, Buffer>();
    for (const [name, bytes] of left) if (!name.startsWith('.')) expect(whole.get(name)?.equals(bytes), step).toBe(true);
    await palimpsestJson(command('killed'));
    expect(new Map([...filesIn(killed)].filter(([, bytes]) => !isUnnamed(bytes))), step).toEqual(whole);
  });
});

// the pages are built as without browse files
describe('a killed build with browse files', () => {
  const SIZES = ['--page-size', '20', '--account-page-size', '20', '--html'];
  const place = join(folder, 'build');
  const out = join(place, 'out');
  const [oldTree, youngTree] = [join(place, 'old-tree'), join(place, 'young-tree')];
  const trees: { [folder: string]: Files } = {};

  beforeAll(async () => {
    mkdirSync(place);
    trees[oldTree] = await freshTree(old, oldTree, SIZES);
    trees[youngTree] = await freshTree(young, youngTree, SIZES);
  });

  /** Replaces the tree by another one, or by nothing. */
  function resetTree(from: string | undefined): void {
    rmSync(out, { recursive: true, force: true });
    if (from !== undefined) cpSync(from, out, { recursive: true, preserveTimestamps: true });
  }

  /** Checks the files that a killed build left: each is of one of these trees, and a tree that is finished is complete. */
  function inspect(states: readonly Files[], step: string): void {
    if (!existsSync(out)) return;
    const files = pagesIn(out);
    const isOf = (path: string, bytes: Buffer) => (state: Files) => state.get(path)?.equals(bytes) === true;
    const torn = [...files].filter(([path, bytes]) => path !== 'build.json' && !states.some(isOf(path, bytes)));
    expect(
      torn.map(([path]) => path),
      `${step}: files that belong to no tree`,
    ).toEqual([]);
    const state = buildStateOf(out);
    if (state === 'none') expect([[...files.keys()], states.length], `${step}: files without a build.json`).toEqual([[], 1]);
    if (state !== 'finished') return;
    const recorded = states.find(isOf('build.json', files.get('build.json') ?? Buffer.alloc(0)));
    expect(differences(files, recorded ?? new Map()), `${step}: a tree whose build.json is finished`).toEqual([]);
  }

  it.each([
    ['over a smaller tree', oldTree, youngTree],
    ['over a larger tree', youngTree, oldTree],
    ['into a new folder', undefined, youngTree],
  ])('%s leaves every file complete and build.json right, and the next build completes the tree', async (_, from, goal) => {
    const storeOf = (tree: string | undefined) => (tree === oldTree ? old : young);
    const states = [from, goal].flatMap((tree) => trees[tree ?? ''] ?? []);
    let isOther = false;
    await killAtSteps(
      folder,
      buildArgs(storeOf(goal), out, SIZES),
      KILLS,
      () => resetTree(from),
      async (step) => {
        inspect(states, step);
        // the next build may be one of the state before
        isOther = !isOther;
        const next = isOther ? goal : (from ?? goal);
        await palimpsestJson(buildArgs(storeOf(next), out, SIZES));
        expect(differences(filesIn(out), trees[next] ?? new Map()), `${step}: after the next build`).toEqual([]);
        expect(existsSync(join(out, '.palimpsest')), step).toBe(false);
      },
    );
  });

  it('of a ZIP leaves the present file or the complete new one, and the next build removes everything else', async () => {
    const within = join(place, 'zip');
    const zip = join(within, 'history.zip');
    const [before, after] = [join(place, 'old.zip'), join(place, 'young.zip')];
    await palimpsestJson(buildArgs(old, before, SIZES));
    await palimpsestJson(buildArgs(young, after, SIZES));
    const reset = () => {
      rmSync(within, { recursive: true, force: true });
      mkdirSync(within);
      copyFileSync(before, zip);
    };
    const args = buildArgs(young, zip, SIZES);
    const goal = readFileSync(after);
    await killAtSteps(folder, args, KILLS, reset, async (step) => {
      const found = readFileSync(zip);
      expect(found.equals(goal) || found.equals(readFileSync(before)), `${step}: a ZIP of neither state`).toBe(true);
      expect(
        readdirSync(within).filter((file) => !file.startsWith('.')),
        step,
      ).toEqual(['history.zip']);
      await palimpsestJson(args);
      expect(readFileSync(zip).equals(goal), step).toBe(true);
      expect(readdirSync(within), step).toEqual(['history.zip']);
    });
  });
});
