import fs, { readFileSync, renameSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { parseEnvelope } from '../../src/contract/pages/envelope.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { BASE_URL, buildArgs, buildStateOf } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '5', '--account-page-size', '5'];
type Collection = 'data' | 'account';

/** A reader that follows `next` from the first page to the last, like a client behind the rewrite rules, and then begins again. */
class Reader {
  readonly #out: string;
  readonly #first: string;
  #url: string;
  /** The `count` of the first page, those of all pages, and the items seen in this reading. */
  #began = 0;
  #counts = new Set<number>();
  #seen = new Set<unknown>();
  /** The items that existed when a reading began and that it did not see. */
  readonly missed: unknown[] = [];
  /** The number of readings during which the tree changed. */
  crossed = 0;

  constructor(out: string, collection: Collection) {
    this.#out = out;
    this.#first = `${BASE_URL}/rest/${collection}/`;
    this.#url = this.#first;
  }

  /** Reads one page. @throws Error if it is missing or incomplete */
  step(past: ReadonlyMap<number, ReadonlySet<unknown>>): void {
    const [path = '', query = ''] = this.#url.slice(BASE_URL.length).split('?');
    const { count, next, results } = parseEnvelope(
      JSON.parse(readFileSync(join(this.#out, resolve('GET', path, query).file ?? ''), 'utf8')),
    );
    if (this.#url === this.#first) [this.#began, this.#counts, this.#seen] = [count, new Set(), new Set()];
    this.#counts.add(count);
    for (const item of results) this.#seen.add(isObject(item) && (item['id'] ?? item['screen_name']));
    this.#url = next ?? this.#first;
    if (next !== null) return;
    for (const key of past.get(this.#began) ?? [`the count was never ${this.#began}`]) if (!this.#seen.has(key)) this.missed.push(key);
    if (this.#counts.size > 1) this.crossed += 1;
  }
}

/** Calls a function after each rename of a file, as often as work renames files. */
async function afterEachRename(each: () => void, work: () => Promise<unknown>): Promise<void> {
  const rename = renameSync;
  const spy = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    rename(from, to);
    each();
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

/** The lines of a first build, and those that each of four further builds adds. */
type Growth = (lines: readonly string[]) => string[][];

/** Adds only new records, like an archive that grows from day to day. */
const onwards: Growth = (lines) => [200, 225, 250, 275, 300].map((end, step) => lines.slice(step === 0 ? 0 : end - 25, end));

/** Adds new records, and in each step also some that are older than many existing records. */
const everywhere: Growth = (lines) =>
  onwards(lines).map((step, index) =>
    index === 0
      ? step.filter((_, place) => place % 7 !== 0)
      : [...lines.slice(0, 200).filter((_, place) => place % 28 === 7 * (index - 1)), ...step],
  );

function keysOf(collection: Collection, lines: readonly string[]): Set<unknown> {
  return new Set(lines.map((line) => JSON.parse(line)[collection === 'data' ? 'id' : 'account']));
}

it.each<[string, Collection, Growth, number]>([
  ['records when older ones are added too', 'data', everywhere, 40],
  ['accounts', 'account', onwards, 200],
])('readers that follow next during repeated builds miss none of the %s', async (name, collection, growth, accounts) => {
  const [store, out] = [join(folder, `${name}.db`), join(folder, name)];
  const [first = [], ...steps] = growth(await recordLines(300, accounts));
  const past = new Map<number, ReadonlySet<unknown>>();
  let lines: string[] = [];
  const add = async (more: readonly string[]) => {
    lines = [...lines, ...more];
    const keys = keysOf(collection, lines);
    past.set(keys.size, keys);
    await importLines(store, more);
  };
  await add(first);
  await palimpsestJson(buildArgs(store, out, SIZES));
  // some read a page after each rename, others are slower and slower
  const readers = Array.from({ length: 12 }, () => new Reader(out, collection));
  let renames = 0;
  const read = () => {
    renames += 1;
    for (const [index, reader] of readers.entries()) if (renames % (1 + Math.floor(index / 3)) === 0) reader.step(past);
  };
  for (const [index, step] of steps.entries()) {
    await add(step);
    const before = renames;
    let [isFailing, code] = [index === 2, 0];
    await afterEachRename(
      () => {
        read();
        // the third build ends in the middle
        if (isFailing && renames > before + 15) {
          isFailing = false;
          throw new Error('a fault');
        }
      },
      async () => {
        code = (await palimpsestHere(buildArgs(store, out, SIZES))).code ?? -1;
      },
    );
    expect([code, buildStateOf(out)]).toEqual(index === 2 ? [1, 'unfinished'] : [0, 'finished']);
  }
  for (let page = 0; page < 100; page += 1) read();
  expect(readers.flatMap(({ missed }) => missed)).toEqual([]);
  // the result is meaningful only if many readings were active during an exchange
  expect(readers.reduce((sum, { crossed }) => sum + crossed, 0)).toBeGreaterThan(readers.length);
});
