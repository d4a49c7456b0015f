import { cpSync, mkdirSync, readFileSync, renameSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { chance } from './chance.ts';
import { isUnfinished, runAndKill } from './killing.ts';
import { follow, type Reading } from './reading.ts';
import { slowDisk } from './slow-disk.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, freshTree } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '5'];

/** The contents of a collection by `count`, for each `count` that it ever had. */
type Past = ReadonlyMap<number, ReadonlySet<string | number>>;

/** Returns the items that existed when a reader began and that it did not see. */
function missedBy({ began, seen }: Reading, past: Past): (string | number)[] {
  const existing = past.get(began);
  if (existing === undefined) throw new Error(`the count was never ${began}`);
  return [...existing].filter((key) => !seen.has(key));
}

function keysOf(collection: 'data' | 'account', lines: readonly string[]): Set<string | number> {
  const keys = lines
    .map((line): unknown => JSON.parse(line))
    .map((record) => isObject(record) && record[collection === 'data' ? 'id' : 'account']);
  return new Set(keys.filter((key) => typeof key === 'string' || typeof key === 'number'));
}

/** Readers that start again until they are stopped. Each waits for a different time between pages. */
class Readers {
  readonly readings: Reading[] = [];
  readonly #ends: Promise<void>[];
  #isOver = false;

  constructor(out: string, collection: 'data' | 'account', number: number) {
    this.#ends = Array.from({ length: number }, async (_, index) => {
      const random = chance(index);
      // the first few readers do not wait, the others are slower and slower
      const pause = async () => {
        if (index < 3 || random() > index / number) await setImmediate();
        else await setTimeout(random() * 4);
      };
      while (!this.#isOver) this.readings.push(await follow(out, collection, pause));
    });
    for (const end of this.#ends) end.catch(() => {}); // awaited in stop
  }

  /** Waits until at least one reader has begun and ended a reading. */
  async readOnce(): Promise<void> {
    // one of the readers ends for the second time
    const enough = this.readings.length + this.#ends.length + 1;
    while (this.readings.length < enough) await Promise.race([setTimeout(5), Promise.all(this.#ends)]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }
}

describe('readers that follow next during repeated builds', () => {
  /** The builds during which readers read: a fast one, one on a slow disk, and a killed one. */
  const STEPS = 3;

  /** Splits the lines of a history into the lines that each step adds. */
  type Growth = (lines: readonly string[]) => string[][];

  /** Adds only new records, like an archive that grows from day to day. */
  const onwards: Growth = (lines) => {
    const first = Math.floor(lines.length * 0.7);
    const step = Math.ceil((lines.length - first) / STEPS);
    return [
      lines.slice(0, first),
      ...Array.from({ length: STEPS }, (_, index) => lines.slice(first + index * step, first + (index + 1) * step)),
    ];
  };

  /** Adds new records, and in each step also some that are older than many existing records. */
  const everywhere: Growth = (lines) => {
    const first = Math.floor(lines.length * 0.9);
    const steps: string[][] = Array.from({ length: STEPS + 1 }, () => []);
    lines.forEach((line, index) => {
      const late = index >= first || index % 7 === 0;
      steps[late ? 1 + (index >= first ? Math.floor(((index - first) / (lines.length - first)) * STEPS) : index % STEPS) : 0]?.push(line);
    });
    return steps;
  };

  it.each([
    ['records when older ones are added too', 'data', everywhere, 2_500, 200],
    ['records', 'data', onwards, 2_500, 200],
    ['accounts', 'account', onwards, 2_500, 1_500],
  ] as const)('miss none of the %s', async (name, collection, growth, records, accounts) => {
    const store = join(folder, `${name}.db`);
    const out = join(folder, name);
    const [first = [], ...steps] = growth(await recordLines(records, accounts));
    const past = new Map<number, ReadonlySet<string | number>>();
    let lines: string[] = [];
    const remember = (more: readonly string[]) => {
      lines = [...lines, ...more];
      const keys = keysOf(collection, lines);
      past.set(keys.size, keys);
    };
    remember(first);
    await importLines(store, first);
    await palimpsestJson(buildArgs(store, out, SIZES));

    const readers = new Readers(out, collection, 8);
    try {
      for (const [index, step] of steps.entries()) {
        remember(step);
        await importLines(store, step);
        const args = buildArgs(store, out, SIZES);
        // the builds alternate: fast; on a slow disk, so that readers start and overtake during the exchange; killed on a slow disk
        if (index % 3 === 0) await palimpsestJson(args, { ownProcess: true });
        else if (index % 3 === 1) await palimpsestJson(args, { env: slowDisk({ rename: 1 }) });
        else {
          const { signal } = await runAndKill(args, { sign: () => isUnfinished(out), delay: 150 }, { env: slowDisk({ rename: 1 }) });
          expect(signal).toBe('SIGKILL');
        }
      }
      await palimpsestJson(buildArgs(store, out, SIZES), { ownProcess: true });
    } finally {
      await readers.stop();
    }
    const { readings } = readers;
    expect(readings.map((reading) => missedBy(reading, past)).filter((missed) => missed.length > 0)).toEqual([]);
    // the result is meaningful only if many readers were active during an exchange
    const crossed = readings.filter(({ counts }) => counts.size > 1);
    console.log(`readers of ${name}: ${readings.length} readings, ${crossed.length} of them across a build or more`);
    expect(crossed.length).toBeGreaterThan(STEPS);
    expect((await follow(out, collection, async () => {})).seen).toEqual(keysOf(collection, lines));
  });
});

describe('the check of readers, with an exchange of pages in a given order', () => {
  /** Exchanges the feed's pages like a build, but in a given order, with a pause in the middle. */
  async function exchange(from: string, out: string, pages: readonly number[], pause = async (): Promise<void> => {}): Promise<void> {
    for (const [index, page] of pages.entries()) {
      if (index === Math.floor(pages.length / 2)) await pause();
      for (const name of page === 1 ? ['page/1/index.json', 'index.json'] : [`page/${page}/index.json`]) {
        const path = join('rest/data', name);
        mkdirSync(dirname(join(out, path)), { recursive: true });
        renameSync(join(from, path), join(out, path));
      }
      await setImmediate();
    }
  }

  async function prepare(name: string): Promise<{ out: string; from: string; past: Past; pages: number[] }> {
    const lines = await recordLines(1_000, 50);
    const store = join(folder, `${name}.db`);
    const [out, from] = [join(folder, `${name}-old`), join(folder, `${name}-new`)];
    await importLines(store, lines.slice(0, 993));
    await freshTree(store, out, SIZES);
    await importLines(store, lines.slice(993));
    await freshTree(store, from, SIZES);
    const past = new Map([993, 1_000].map((count) => [count, keysOf('data', lines.slice(0, count))]));
    return { out, from, past, pages: Array.from({ length: 100 }, (_, index) => index + 1) };
  }

  /** Reads repeatedly during an exchange in this order, in whose middle readers begin and end. */
  async function readDuring(from: string, out: string, pages: readonly number[]): Promise<Reading[]> {
    const readers = new Readers(out, 'data', 12);
    await exchange(from, out, pages, () => readers.readOnce());
    await readers.stop();
    return readers.readings;
  }

  it('finds missed records if the first page is exchanged first', async () => {
    const { out, from, past, pages } = await prepare('first page first');
    const readings = await readDuring(from, out, pages);
    expect(readings.flatMap((reading) => missedBy(reading, past)).length).toBeGreaterThan(0);
  });

  it('finds no missed records if the last page is exchanged first', async () => {
    const { out, from, past, pages } = await prepare('last page first');
    const readings = await readDuring(from, out, pages.toReversed());
    expect(readings.flatMap((reading) => missedBy(reading, past))).toEqual([]);
    expect(readings.filter(({ counts }) => counts.size > 1).length).toBeGreaterThan(0);
  });

  it('finds an incomplete file and a next to a missing page', async () => {
    const { out, from, pages } = await prepare('torn');
    const torn = join(folder, 'torn-copy');
    cpSync(out, torn, { recursive: true });
    const page = join(torn, 'rest/data/page/60/index.json');
    truncateSync(page, Math.floor(readFileSync(page).length / 2));
    await expect(follow(torn, 'data', async () => {})).rejects.toThrow(SyntaxError);
    await exchange(from, out, pages.slice(90, 99));
    // the page before the last now links to a page that only the new tree has
    renameSync(join(out, 'rest/data/page/100'), join(folder, 'page-100-away'));
    await expect(follow(out, 'data', async () => {})).rejects.toThrow('ENOENT');
  });
});
