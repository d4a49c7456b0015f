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

/** What a collection held at each `count` that it ever had. */
type Past = ReadonlyMap<number, ReadonlySet<string | number>>;

/** What was there when a reader began and was not seen. */
function missedBy({ began, seen }: Reading, past: Past): (string | number)[] {
  const there = past.get(began);
  if (there === undefined) throw new Error(`there never was a count of ${began}`);
  return [...there].filter((key) => !seen.has(key));
}

function keysOf(collection: 'data' | 'account', lines: readonly string[]): Set<string | number> {
  const keys = lines
    .map((line): unknown => JSON.parse(line))
    .map((record) => isObject(record) && record[collection === 'data' ? 'id' : 'account']);
  return new Set(keys.filter((key) => typeof key === 'string' || typeof key === 'number'));
}

/** Readers that begin anew until they are told to stop; each waits otherwise long between pages. */
class Readers {
  readonly readings: Reading[] = [];
  readonly #ends: Promise<void>[];
  #isOver = false;

  constructor(out: string, collection: 'data' | 'account', number: number) {
    this.#ends = Array.from({ length: number }, async (_, index) => {
      const random = chance(index);
      // the first few as fast as they can, the others ever slower
      const pause = async () => {
        if (index < 3 || random() > index / number) await setImmediate();
        else await setTimeout(random() * 4);
      };
      while (!this.#isOver) this.readings.push(await follow(out, collection, pause));
    });
    for (const end of this.#ends) end.catch(() => {}); // awaited in stop
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }
}

describe('readers who follow next while the tree is built again and again', () => {
  const STEPS = 6;

  /** The lines that each step of a growing history adds. */
  type Growth = (lines: readonly string[]) => string[][];

  /** New records only, as an archive grows from day to day. */
  const onwards: Growth = (lines) => {
    const first = Math.floor(lines.length * 0.7);
    const step = Math.ceil((lines.length - first) / STEPS);
    return [
      lines.slice(0, first),
      ...Array.from({ length: STEPS }, (_, index) => lines.slice(first + index * step, first + (index + 1) * step)),
    ];
  };

  /** New records, and in each step also some that are older than many that are there. */
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
    ['records, of which older ones turn up too', 'data', everywhere, 4_000, 200],
    ['records', 'data', onwards, 4_000, 200],
    ['accounts', 'account', onwards, 4_000, 2_500],
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
        // as fast as can be; on a slow disk, so that readers begin and overtake while files are exchanged; killed there
        if (index % 3 === 0) await palimpsestJson(args);
        else if (index % 3 === 1) await palimpsestJson(args, { env: slowDisk({ rename: 1 }) });
        else {
          const { signal } = await runAndKill(args, { sign: () => isUnfinished(out), delay: 150 }, { env: slowDisk({ rename: 1 }) });
          expect(signal).toBe('SIGKILL');
        }
      }
      await palimpsestJson(buildArgs(store, out, SIZES));
    } finally {
      await readers.stop();
    }
    const { readings } = readers;
    expect(readings.map((reading) => missedBy(reading, past)).filter((missed) => missed.length > 0)).toEqual([]);
    // all this says something only if many readers were on their way while files were exchanged
    const crossed = readings.filter(({ counts }) => counts.size > 1);
    console.log(`readers of ${name}: ${readings.length} readings, ${crossed.length} of them across a build or more`);
    expect(crossed.length).toBeGreaterThan(STEPS);
    expect((await follow(out, collection, async () => {})).seen).toEqual(keysOf(collection, lines));
  });
});

describe('a tree whose files are exchanged by other hands', () => {
  /** Exchanges the feed's pages as a build does, but in the order that it is given and with pauses. */
  async function exchange(from: string, out: string, pages: readonly number[]): Promise<void> {
    for (const page of pages) {
      for (const name of page === 1 ? ['page/1/index.json', 'index.json'] : [`page/${page}/index.json`]) {
        const path = join('rest/data', name);
        mkdirSync(dirname(join(out, path)), { recursive: true });
        renameSync(join(from, path), join(out, path));
      }
      await setTimeout(2);
    }
  }

  async function lay(name: string): Promise<{ out: string; from: string; past: Past; pages: number[] }> {
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

  async function readDuring(work: Promise<void>, out: string): Promise<Reading[]> {
    const readers = new Readers(out, 'data', 12);
    await work;
    await readers.stop();
    return readers.readings;
  }

  it('shows holes to these readers where the first page goes first', async () => {
    const { out, from, past, pages } = await lay('first page first');
    const readings = await readDuring(exchange(from, out, pages), out);
    const missed = readings.flatMap((reading) => missedBy(reading, past));
    expect(missed.length).toBeGreaterThan(0);
  });

  it('shows none where the last page goes first', async () => {
    const { out, from, past, pages } = await lay('last page first');
    const readings = await readDuring(exchange(from, out, pages.toReversed()), out);
    expect(readings.flatMap((reading) => missedBy(reading, past))).toEqual([]);
    expect(readings.filter(({ counts }) => counts.size > 1).length).toBeGreaterThan(0);
  });

  it('is found out where a file is not whole, or a next leads nowhere', async () => {
    const { out, from, pages } = await lay('torn');
    const torn = join(folder, 'torn-copy');
    cpSync(out, torn, { recursive: true });
    const page = join(torn, 'rest/data/page/60/index.json');
    truncateSync(page, Math.floor(readFileSync(page).length / 2));
    await expect(follow(torn, 'data', async () => {})).rejects.toThrow(SyntaxError);
    await exchange(from, out, pages.slice(90, 99));
    // the page before the last now links to one that only the new tree has
    renameSync(join(out, 'rest/data/page/100'), join(folder, 'page-100-away'));
    await expect(follow(out, 'data', async () => {})).rejects.toThrow('ENOENT');
  });
});
