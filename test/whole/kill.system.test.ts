import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { Store } from '../../src/store/store.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { isFull, isOne, timesInProcess } from '../support/proof.ts';
import { chance } from './chance.ts';
import { isUnfinished, type Moment, runAndKill, sizeOf } from './killing.ts';
import { slowDisk } from './slow-disk.ts';
import { contentsOf, fileOf, folderOfFile, recordLines, snapshotLines } from './stores.ts';
import { buildArgs, buildStateOf, differences, type Files, freshTree, pagesIn } from './trees.ts';

/** The number of kills that must land: a quarter in imports, a half in rebuilds, a quarter in first builds. Observes get another quarter. */
const KILLS = timesInProcess('kills', 5, 120);
const SEED = 20240229;
const QUARTER = Math.max(2, Math.round(KILLS / 4));
/** The number of kills of imports that create a store. */
const FIRSTS = Math.max(1, Math.round(QUARTER / 4));
/** The number of runs per kill that may end before it. In practice far fewer do. */
const ATTEMPTS = 20;
/** The share of the records and snapshots of a full run. */
const SHARE = isFull ? 1 : isOne ? 0.1 : 0.3;
const PATIENCE = 60_000 + KILLS * 5_000;

const random = chance(SEED);
const folder = folderOfFile();

/** Counts the kills that landed in each phase of the work. */
class Landings {
  readonly #counts = new Map<string, number>();
  landed = 0;
  missed = 0;

  add(phase: string): void {
    this.landed += 1;
    this.#counts.set(phase, (this.#counts.get(phase) ?? 0) + 1);
  }

  print(work: string, phases: readonly string[]): void {
    const counts = phases.map((phase) => `${phase} ${this.#counts.get(phase) ?? 0}`).join(', ');
    console.log(`kill: ${work}: ${this.landed} kills landed (${counts}); ${this.missed} came too late (seed ${SEED})`);
  }
}

/** Picks one of the moments. Repeat a moment to give it more weight. The functions give a new random delay each time. */
function oneOf(...moments: readonly (() => Moment)[]): Moment {
  return (moments[Math.floor(random() * moments.length)] ?? (() => ({ delay: 0 })))();
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The suffixes of SQLite's log and rollback journal. */
const LOGS = ['-wal', '-journal'];
const logged = (store: string) => LOGS.reduce((sum, suffix) => sum + sizeOf(store + suffix), 0);

/** Replaces a store and the files that a killed run left by a copy of another store, or by nothing. */
function resetStore(store: string, from: string | undefined): void {
  for (const suffix of ['', ...LOGS, '-shm']) rmSync(store + suffix, { force: true });
  if (from !== undefined) copyFileSync(from, store);
}

const grown = (bytes: number, size: () => number) => () => size() > bytes;

describe('a killed import', () => {
  const PHASES = ['before: starting', 'before: reading', 'during: writing', 'after: committed'];
  const small = join(folder, 'small.db');
  const RECORDS = 30_000 * SHARE;
  let batch = '';
  let everything = '';
  let took = 0;
  /** The contents of the store before and after the batch. An import of everything into a new store also gives `after`. */
  let [before, after] = ['', ''];
  /** The number of bytes that the batch adds. */
  let growth = 0;

  beforeAll(async () => {
    const lines = await recordLines(RECORDS, 1_500 * SHARE);
    // some records of the batch are older than those in the store, so that it also changes the middle
    const isOld = (_: string, index: number) => index < RECORDS / 2 && index % 10 !== 0;
    const old = lines.filter(isOld);
    batch = fileOf(
      folder,
      'batch.ndjson',
      lines.filter((line, index) => !isOld(line, index)),
    );
    everything = fileOf(folder, 'everything.ndjson', lines);
    await palimpsestJson(['import', fileOf(folder, 'old.ndjson', old), '--store', small]);
    const whole = join(folder, 'whole.db');
    copyFileSync(small, whole);
    took = await measure(() => palimpsestJson(['import', batch, '--store', whole], { ownProcess: true }));
    growth = sizeOf(whole) - sizeOf(small);
    [before, after] = [contentsOf(small), contentsOf(whole)];
  });

  function moment(store: string, from: string | undefined): Moment {
    const base = from === undefined ? 0 : sizeOf(from);
    return oneOf(
      () => ({ delay: random() * took }),
      () => ({ delay: random() * took }),
      () => ({ sign: grown(random() * growth, () => logged(store)), delay: 0 }),
      // the batch is committed and moves from the log into the store's file
      () => ({ sign: grown(base + random() * growth, () => sizeOf(store)), delay: random() * 5 }),
    );
  }

  function phaseOf(store: string, isBefore: boolean): string {
    if (!isBefore) return 'after: committed';
    if (logged(store) > 0) return 'during: writing';
    return LOGS.some((suffix) => existsSync(store + suffix)) ? 'before: reading' : 'before: starting';
  }

  it(
    'leaves the store unchanged or with the whole batch, and the next import completes it',
    async () => {
      const landings = new Landings();
      const store = join(folder, 'killed.db');
      while (landings.landed < QUARTER - FIRSTS) {
        resetStore(store, small);
        const { signal } = await runAndKill(['import', batch, '--store', store, '--quiet'], moment(store, small));
        const log = logged(store);
        const phase = phaseOf(store, true);
        if (signal === null) landings.missed += 1;
        expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
        const records = recordsIn(store);
        const contents = contentsOf(store);
        expect([before, after], `neither state, ${log} bytes of log`).toContain(contents);
        expect(records).toBe(contents === before ? RECORDS * 0.45 : RECORDS);
        if (signal === null) expect(contents).toBe(after);
        else landings.add(contents === before ? phase : 'after: committed');
        await palimpsestJson(['import', batch, '--store', store]);
        expect(contentsOf(store)).toBe(after);
      }
      landings.print('import into a store', PHASES);
    },
    PATIENCE,
  );

  /** Returns the number of records in a store; 0 if there is no store or the file is not a store yet. */
  function recordsIn(store: string): number {
    try {
      const opened = Store.open(store);
      opened.close();
      return opened.revision.records;
    } catch (error) {
      if (error instanceof Failure && error.code === 'no-store') return 0;
      throw error;
    }
  }

  it(
    'that creates a store leaves no store, an empty one or a complete one',
    async () => {
      const landings = new Landings();
      const store = join(folder, 'first.db');
      while (landings.landed < FIRSTS) {
        resetStore(store, undefined);
        const { signal } = await runAndKill(['import', everything, '--store', store, '--quiet'], moment(store, undefined));
        const phase = phaseOf(store, true);
        if (signal === null) landings.missed += 1;
        expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
        const records = recordsIn(store);
        expect([0, RECORDS]).toContain(records);
        if (signal === null) expect(records).toBe(RECORDS);
        else landings.add(records === 0 ? phase : 'after: committed');
        await palimpsestJson(['import', everything, '--store', store]);
        expect(contentsOf(store)).toBe(after);
      }
      landings.print('import into no store', PHASES);
    },
    PATIENCE,
  );
});

describe('a killed observe', () => {
  const PHASES = ['before: starting', 'before: reading', 'during: writing', 'after: committed'];
  const small = join(folder, 'seen.db');
  let batch = '';
  let took = 0;
  /** The contents of the store before and after the batch. */
  let [before, after] = ['', ''];

  beforeAll(async () => {
    const lines = await snapshotLines(40_000 * SHARE, 4_000 * SHARE);
    const renamed = lines.map((line, index) => (index > 20_000 * SHARE ? line.replace(/"user_(\d+)7"/, '"renamed_$17"') : line));
    await palimpsestJson(['observe', fileOf(folder, 'seen.ndjson', renamed.slice(0, 15_000 * SHARE)), '--store', small]);
    // unordered, and some snapshots were observed before
    batch = fileOf(
      folder,
      'see.ndjson',
      renamed.slice(10_000 * SHARE).sort((a, b) => (a.slice(40) < b.slice(40) ? -1 : 1)),
    );
    const whole = join(folder, 'seen-whole.db');
    copyFileSync(small, whole);
    took = await measure(() => palimpsestJson(['observe', batch, '--store', whole], { ownProcess: true }));
    [before, after] = [contentsOf(small), contentsOf(whole)];
  });

  function phaseOf(store: string): string {
    if (logged(store) > 0) return 'during: writing';
    return LOGS.some((suffix) => existsSync(store + suffix)) ? 'before: reading' : 'before: starting';
  }

  it(
    'leaves the store unchanged or with all snapshots, and the next observe completes it and removes leftovers',
    async () => {
      const landings = new Landings();
      const store = join(folder, 'seen-killed.db');
      while (landings.landed < QUARTER) {
        resetStore(store, small);
        const moment = oneOf(
          () => ({ delay: random() * took }),
          () => ({ sign: () => existsSync(`${store}-wal`), delay: random() * took * 0.5 }),
          () => ({ sign: grown(random() * 2_000_000 * SHARE, () => logged(store)), delay: random() * 5 }),
        );
        const { signal } = await runAndKill(['observe', batch, '--store', store, '--quiet'], moment);
        const phase = phaseOf(store);
        if (signal === null) landings.missed += 1;
        expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
        const contents = contentsOf(store);
        expect([before, after]).toContain(contents);
        if (signal === null) expect(contents).toBe(after);
        else landings.add(contents === before ? phase : 'after: committed');
        await palimpsestJson(['observe', batch, '--store', store]);
        expect(contentsOf(store)).toBe(after);
        expect(readdirSync(folder).filter((name) => name.includes('-spool-'))).toEqual([]);
      }
      landings.print('observe into a store', PHASES);
    },
    PATIENCE,
  );
});

describe.each([
  { name: 'a killed build', options: [], records: 60_000 * SHARE, accounts: 3_000 * SHARE, kills: QUARTER },
  ...(isOne
    ? []
    : [{ name: 'a killed build with browse files', options: ['--html'], records: 3_000, accounts: 150, kills: Math.ceil(QUARTER / 4) }]),
])('$name', ({ name, options, records, accounts, kills }) => {
  const PHASES = ['before: starting', 'before: rendering', 'during: exchanging', 'after: finished'];
  const SIZES = ['--page-size', '50', '--account-page-size', '50', ...options];
  const place = join(folder, name);
  const out = join(place, 'out');
  const stage = join(out, '.palimpsest', 'stage');

  interface State {
    readonly store: string;
    readonly tree: Files;
  }
  let old: State;
  let young: State;
  let took = 0;

  beforeAll(async () => {
    const lines = await recordLines(records, accounts);
    const isOld = (_: string, index: number) => index < records * 0.95 && index % 100 !== 7;
    mkdirSync(place);
    const oldStore = join(place, 'old.db');
    const newStore = join(place, 'new.db');
    await palimpsestJson(['import', fileOf(place, 'o.ndjson', lines.filter(isOld)), '--store', oldStore]);
    await palimpsestJson(['import', fileOf(place, 'n.ndjson', lines), '--store', newStore]);
    old = { store: oldStore, tree: await freshTree(oldStore, join(place, 'old-tree'), SIZES) };
    young = { store: newStore, tree: await freshTree(newStore, join(place, 'new-tree'), SIZES) };
    // builds the tree of the old store into an empty folder, then the tree of the new store over it
    await palimpsestJson(buildArgs(oldStore, out, SIZES));
    took = await measure(() => palimpsestJson(buildArgs(newStore, out, SIZES), { ownProcess: true }));
    expect(differences(filesIn(out), young.tree)).toEqual([]);
  });

  /** @param exchange the duration of the exchange of files, in milliseconds */
  function moment(exchange: number): Moment {
    return oneOf(
      () => ({ delay: random() * took }),
      () => ({ sign: () => existsSync(stage), delay: random() * took * 0.5 }),
      () => ({ sign: () => isUnfinished(out), delay: random() * exchange }),
      () => ({ sign: () => isUnfinished(out), delay: 0 }),
    );
  }

  /** Checks the files that a killed build left. Returns the phase in which it was killed. */
  function inspect(states: readonly Files[], goal: Files): string {
    if (!existsSync(out)) return 'before: starting';
    const files = pagesIn(out);
    const isOf = (path: string, bytes: Buffer) => (state: Files) => state.get(path)?.equals(bytes) === true;
    const torn = [...files].filter(([path, bytes]) => path !== 'build.json' && !states.some(isOf(path, bytes)));
    expect(
      torn.map(([path, bytes]) => `${path} of ${bytes.length} bytes`),
      'files that belong to neither state',
    ).toEqual([]);
    const buildState = buildStateOf(out);
    if (buildState === 'unfinished') return 'during: exchanging';
    if (buildState === 'none') {
      expect([...files.keys()], 'files without a build.json').toEqual([]);
      expect(states.length, 'a tree existed before').toBe(1);
    } else {
      const recorded = states.find(isOf('build.json', files.get('build.json') ?? Buffer.alloc(0)));
      expect(differences(files, recorded ?? new Map()), 'a tree whose build.json is finished').toEqual([]);
      if (recorded === goal) return 'after: finished';
    }
    return existsSync(stage) ? 'before: rendering' : 'before: starting';
  }

  it(
    'leaves every file complete and build.json right, and the next build completes the tree',
    async () => {
      const landings = new Landings();
      // the builds alternate: the tree grows, then shrinks
      let [now, next] = [young, old];
      while (landings.landed < kills * 2) {
        let goal = next;
        let isKilled = false;
        do {
          const { signal } = await runAndKill(buildArgs(goal.store, out, [...SIZES, '--quiet']), moment(took * 0.2));
          isKilled = signal !== null;
          if (isKilled) landings.add(inspect([now.tree, next.tree], goal.tree));
          else landings.missed += 1;
          expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
          // the build that repairs the tree may build the other state, and may also be killed
          if (random() < 0.5) goal = goal === next ? now : next;
        } while (isKilled && random() < 0.25);
        await palimpsestJson(buildArgs(goal.store, out, SIZES));
        expect(differences(filesIn(out), goal.tree), 'after the build that repairs it').toEqual([]);
        expect(existsSync(join(out, '.palimpsest'))).toBe(false);
        if (goal === next) [now, next] = [next, now];
      }
      landings.print(`${name}, into a tree`, PHASES);
    },
    PATIENCE,
  );

  it(
    'of a ZIP leaves the present file or the complete new one, and the next build removes everything else',
    async () => {
      const landings = new Landings();
      const within = join(place, 'zip');
      const zip = join(within, 'history.zip');
      const written = join(within, '.history.zip.palimpsest/stage/tree.zip');
      const states = [old, young].map(({ store }, index) => ({ store, path: join(place, `${index}.zip`) }));
      for (const { store, path } of states) await palimpsestJson(buildArgs(store, path, SIZES));
      const duration = await measure(() => palimpsestJson(buildArgs(young.store, zip, SIZES), { ownProcess: true }));
      const bytes = states.map(({ path }) => readFileSync(path));
      for (let next = 0; landings.landed < kills * 2; next = 1 - next) {
        const args = buildArgs(states[next]?.store ?? '', zip, SIZES);
        const when = oneOf(
          () => ({ delay: random() * duration }),
          () => ({ sign: () => existsSync(written), delay: random() * duration * 0.1 }),
          () => ({ sign: () => sizeOf(written) > 0, delay: 0 }),
        );
        const { signal } = await runAndKill([...args, '--quiet'], when);
        const found = bytes.findIndex((state) => state.equals(readFileSync(zip)));
        expect(found, 'a ZIP of neither state').not.toBe(-1);
        expect(readdirSync(within).filter((name) => !name.startsWith('.'))).toEqual(['history.zip']);
        if (signal === null) landings.missed += 1;
        else landings.add(existsSync(written) ? (PHASES[2] ?? '') : found === next ? (PHASES[3] ?? '') : (PHASES[1] ?? ''));
        expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
        if (random() < 0.25) continue;
        await palimpsestJson(args);
        expect(readFileSync(zip).equals(bytes[next] ?? Buffer.alloc(0))).toBe(true);
        expect(readdirSync(within)).toEqual(['history.zip']);
      }
      landings.print(`${name} of a ZIP`, PHASES.slice(1));
    },
    PATIENCE,
  );

  /** The delay of a rename, in milliseconds. A first build moves all pages in one rename: on a normal disk hardly any kill would hit it. */
  const RENAME = 8;

  it(
    'into a new folder leaves no tree, an unfinished one or a complete one',
    async () => {
      const landings = new Landings();
      while (landings.landed < kills) {
        rmSync(out, { recursive: true, force: true });
        const args = buildArgs(young.store, out, [...SIZES, '--quiet']);
        const { signal } = await runAndKill(args, moment(3 * RENAME), { env: slowDisk({ rename: RENAME }) });
        if (signal === null) landings.missed += 1;
        else landings.add(inspect([young.tree], young.tree));
        expect(landings.missed, 'runs that could not be killed').toBeLessThan(ATTEMPTS * QUARTER);
        await palimpsestJson(buildArgs(young.store, out, SIZES));
        expect(differences(filesIn(out), young.tree)).toEqual([]);
        expect(existsSync(join(out, '.palimpsest'))).toBe(false);
      }
      landings.print(`${name}, into no folder`, PHASES);
    },
    PATIENCE,
  );
});
