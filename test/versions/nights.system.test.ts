import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve } from '../../src/serve/server.ts';
import { openTreeFiles } from '../../src/tree/tree-files.ts';
import { ask } from '../serve/exchange.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { importLines, recordLines } from '../whole/stores.ts';
import { filesInZip } from '../zip/zips.ts';
import { BASE, listed, type Published, unneeded } from './site.ts';

/** How many sequences of nights are generated. A usual run has one, in which each event occurs once. */
const SEQUENCES = times('sequences of nights', 1, 100);
/** How many earlier states are read completely after each night. */
const STATES_READ = isFull ? 3 : 1;

type Pages = ReadonlyMap<string, Buffer>;

/** The events of nights, in the order of a usual run; a full run draws them. */
const EVENTS = [
  'new records',
  'killed',
  'two at once',
  'head lost',
  'removal',
  'nothing new',
  'head truncated',
  'head old',
  'head old and the newest commit lost',
  'ZIP lost',
  'rollback',
  'rollback to a number',
  'keep',
] as const;
type Event = (typeof EVENTS)[number];
const NIGHTS = isFull ? 30 : EVENTS.length;

/** A site with versions in a folder, and what its readers must find. */
class Nights {
  readonly folder = temporaryFolder();
  readonly target = join(this.folder, 'target');
  readonly zip = join(this.folder, 'history.zip');
  readonly store = join(this.folder, 'store.db');
  /** The pages of each live version. */
  readonly live = new Map<number, Pages>();
  /** All numbers that were ever published. */
  readonly published = new Set<number>();
  readonly removed: string[] = [];
  readonly #random: () => number;
  readonly #lines: readonly string[];
  #imported = 0;

  constructor(seed: number, lines: readonly string[]) {
    this.#random = chance(seed);
    this.#lines = lines;
    mkdirSync(this.folder, { recursive: true });
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  event(night: number): Event {
    return EVENTS[isFull ? this.below(EVENTS.length) : night] ?? 'new records';
  }

  async import(): Promise<void> {
    const more = 1 + this.below(isFull ? 8 : 4);
    await importLines(this.store, this.#lines.slice(this.#imported, this.#imported + more));
    this.#imported += more;
  }

  async build(): Promise<void> {
    const sizes = ['--page-size', '5', '--account-page-size', '3'];
    await palimpsestJson(['build', '--store', this.store, '--out', this.zip, '--base-url', BASE, ...sizes, ...(isFull ? ['--html'] : [])]);
  }

  args(...more: readonly string[]): string[] {
    return ['publish', this.target, '--out', this.zip, '--store', this.store, ...more];
  }

  /** Publishes until it succeeds, and learns which number the tree got. */
  async publish(...more: readonly string[]): Promise<Published> {
    const summary: Published = await palimpsestJson(this.args(...more));
    await this.learn(pagesIn(this.zip));
    return summary;
  }

  /** Compares the list with what is expected: the known versions, and at most one new one with these pages. */
  async learn(pages: Pages | undefined): Promise<void> {
    const { results: versions } = await listed(this.target);
    for (const { number } of versions) {
      if (this.live.has(number)) continue;
      expect(this.published).not.toContain(number);
      if (pages === undefined) throw new Error(`version ${number} was published by nobody`);
      this.live.set(number, pages);
      this.published.add(number);
    }
    expect(versions.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual(this.numbers);
  }

  drop(isDropped: (number: number) => boolean): void {
    for (const number of this.live.keys()) if (isDropped(number)) this.live.delete(number);
  }

  get numbers(): number[] {
    return [...this.live.keys()].toSorted((one, other) => one - other);
  }

  accountOf(pages: Pages): string | undefined {
    const names = namesIn(pages);
    return names[this.below(names.length)];
  }
}

/** The API pages and the home page of a tree, by path. */
function pagesIn(out: string): Pages {
  const files = openTreeFiles(out);
  try {
    const paths = [...files.paths()].filter((path) => path.startsWith('rest/') || path === 'index.html');
    return new Map(paths.map((path) => [path, files.read(path)]));
  } finally {
    files.close();
  }
}

function namesIn(pages: Pages): string[] {
  return [...pages].flatMap(([path, bytes]) =>
    path.startsWith('rest/account/page/')
      ? JSON.parse(bytes.toString()).results.map(({ screen_name }: { readonly screen_name: string }) => screen_name)
      : [],
  );
}

const NUMBERED = /^rest\/(data|account)\/page\/(\d+)\/index\.json$/;

/** Reads all API pages of versions as a client does, and compares them with the trees. */
async function checkReaders(nights: Nights, seen: { pages: number }): Promise<void> {
  const server = await serve({ out: nights.target, host: '127.0.0.1', port: 0, rebase: false });
  const get = (path: string) => ask(server.url, path);
  try {
    const { numbers } = nights;
    const current = numbers.at(-1) ?? 0;
    for (const [path, bytes] of nights.live.get(current) ?? []) {
      const [, collection, page] = NUMBERED.exec(path) ?? [];
      if (collection === undefined) continue;
      const { status, body, headers } = await get(`/rest/${collection}/?page=${page}`);
      expect([status, body.toString(), headers['palimpsest-version']]).toEqual([200, bytes.toString(), String(current)]);
      seen.pages += 1;
    }
    for (let read = 0; read < STATES_READ; read += 1) {
      const number = numbers[nights.below(numbers.length)] ?? 0;
      const pages = nights.live.get(number) ?? new Map();
      for (const [path, bytes] of pages) {
        const [, collection, page] = NUMBERED.exec(path) ?? [];
        if (collection === undefined) continue;
        const past = await get(`/rest/${collection}/?page=${page}&as_of=${number}`);
        const within = bytes.toString().replaceAll(`${BASE}/rest/${collection}/`, `${BASE}/rest/${collection}/?as_of=${number}`);
        expect([past.status, past.body.toString()]).toEqual([200, within.replaceAll(`?as_of=${number}?page=`, `?as_of=${number}&page=`)]);
        const below = await get(`/as_of/${number}/rest/${collection}/?page=${page}`);
        expect(below.body.toString()).toBe(bytes.toString().replaceAll(`${BASE}/rest/`, `${BASE}/as_of/${number}/rest/`));
        seen.pages += 2;
      }
      if (isFull) expect((await get(`/as_of/${number}/`)).body.toString()).toBe(pages.get('index.html')?.toString());
    }
    for (const number of nights.published) {
      if (nights.live.has(number)) continue;
      expect((await get(`/rest/data/?as_of=${number}`)).status).toBe(404);
      expect((await get(`/as_of/${number}/`)).status).toBe(404);
    }
  } finally {
    await server.close();
  }
}

/** Returns the files at the target that have a text, also in a ZIP. */
function filesWith(target: string, text: string): string[] {
  return [...filesIn(target)].flatMap(([path, bytes]) => {
    const files = path.endsWith('.zip') ? filesInZip(join(target, path)) : new Map([['', bytes]]);
    return [...files].flatMap(([member, content]) => (content.includes(text) ? [`${path} ${member}`] : []));
  });
}

/** One night: an event, and the publish after it. */
async function night(nights: Nights, event: Event): Promise<void> {
  const { target } = nights;
  const head = join(target, 'head.json');
  const commits = () => readdirSync(join(target, 'versions')).filter((name) => /^\d{8}\.json$/.test(name));
  const old = join(nights.folder, 'old-head.json');
  if (event !== 'nothing new' && !event.startsWith('rollback')) await nights.import();
  await nights.build();
  switch (event) {
    case 'killed': {
      const before = readFileSync(head, 'utf8');
      const signs = [
        () => readdirSync(join(target, 'versions')).some((name) => name.includes('.zip') && !before.includes(name)),
        () => readFileSync(head, 'utf8') !== before,
      ];
      const sign = signs[nights.below(signs.length)] ?? (() => true);
      await runAndKill(nights.args(), { sign, delay: isFull ? nights.below(12) : 0 });
      await nights.learn(pagesIn(nights.zip));
      break;
    }
    case 'two at once': {
      const both = await Promise.all([palimpsest(nights.args()), palimpsest(nights.args())]);
      expect(both.map(({ code }) => code)).toContain(0);
      break;
    }
    case 'head lost':
      copyFileSync(head, old);
      rmSync(head);
      break;
    case 'head truncated':
      truncateSync(head, 100);
      break;
    case 'head old':
      if (existsSync(old)) copyFileSync(old, head);
      break;
    case 'head old and the newest commit lost': {
      if (existsSync(old)) copyFileSync(old, head);
      rmSync(join(target, 'versions', commits().at(-1) ?? ''));
      break;
    }
    case 'ZIP lost':
      rmSync(nights.zip);
      await nights.build();
      break;
    case 'rollback':
    case 'rollback to a number': {
      const { numbers } = nights;
      if (numbers.length < 2) break;
      const to = event === 'rollback' ? (numbers.at(-2) ?? 0) : (numbers[nights.below(numbers.length - 1)] ?? 0);
      await palimpsestJson(nights.args('--rollback', ...(event === 'rollback' ? [] : [String(to)])));
      nights.drop((number) => number > to);
      await nights.learn(undefined);
      break;
    }
    case 'removal': {
      const name = nights.accountOf(pagesIn(nights.zip));
      if (name === undefined) break;
      await palimpsestJson(['remove', `@${name}`, '--store', nights.store, '--yes']);
      nights.removed.push(name);
      // the tree of before is refused
      expect((await palimpsestHere(nights.args())).code).not.toBe(0);
      await nights.build();
      const has = new Set([...nights.live].flatMap(([number, pages]) => (namesIn(pages).includes(name) ? [number] : [])));
      nights.drop((number) => has.has(number));
      break;
    }
    case 'new records':
    case 'nothing new':
    case 'keep':
      break;
  }
  await nights.publish(...(event === 'keep' ? ['--keep-daily', '1'] : []));
  if (nights.below(3) === 0) copyFileSync(head, old);
}

describe(`${NIGHTS} nights of a site with versions`, () => {
  it.each(Array.from({ length: SEQUENCES }, (_, index) => index + 1))(
    'keep every state that should exist, and no other (sequence %i)',
    async (seed) => {
      const nights = new Nights(seed, await recordLines(400, 20));
      await nights.import();
      await nights.build();
      await nights.publish();
      const seen = { pages: 0 };
      const events: Event[] = [];
      for (let number = 0; number < NIGHTS; number += 1) {
        const event = nights.event(number);
        events.push(event);
        try {
          await night(nights, event);
          await checkReaders(nights, seen);
          expect(unneeded(nights.target)).toEqual([]);
          for (const name of nights.removed) expect(filesWith(nights.target, `"${name}"`)).toEqual([]);
        } catch (error) {
          throw new Error(`night ${number}: ${event}, after ${events.slice(0, -1).join(', ')}`, { cause: error });
        }
      }
      expect(seen.pages).toBeGreaterThan(NIGHTS);
      console.log(`sequence ${seed}: ${seen.pages} pages compared, ${nights.published.size} versions, ${nights.removed.length} removals`);
    },
    600_000,
  );
});
