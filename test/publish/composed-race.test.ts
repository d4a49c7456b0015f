import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeAccounts } from '../../src/store/remove.ts';
import type { Running } from '../conformance/subject.ts';
import { composedAt } from '../conformance/subjects/lambda-edge.ts';
import { node } from '../conformance/subjects/node.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { chance } from '../whole/chance.ts';
import { type Moment, runAndKill, until } from '../whole/killing.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { buildArgs } from '../whole/trees.ts';
import { KnownGenerations, type Walk, walkAsOf, walkPresent } from './composed-walks.ts';
import { startProxy } from './proxy.ts';
import { CEPH } from './stores.ts';

/** The number of publishes during which readers walk. The full test runs 50. */
const PUBLISHES = Number(process.env['PALIMPSEST_TEST_PUBLISHES'] ?? 3);
const IS_FULL = PUBLISHES > 10;
const [RECORDS, READERS, CRAWLS] = IS_FULL ? [3_000, 8, 200] : [800, 4, 10];
/** The number of publishes that must be killed. Every third one is killed, and more if some end before the signal arrives. */
const KILLS = Math.ceil((PUBLISHES - 1) / 3);
/** New records in each night. */
const NIGHTS = [3, 10, 1, 25, 7, 60];
const DAY = 86_400_000;

const folder = folderOfFile();

/** A target with a host in front of it. */
interface Place {
  /** The arguments and the environment of a publish. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Chooses a moment at which a publish that starts now is killed. */
  readonly momentToKill: (random: () => number) => Moment;
  /** Starts the host's program, with an empty memory. */
  readonly host: () => Promise<Running['ask']>;
  readonly stop: () => Promise<unknown>;
}

interface Candidate {
  readonly name: string;
  readonly skip: boolean;
  /** @param tree a tree for `palimpsest rewrite` */
  readonly start: (tree: string) => Promise<Place>;
}

async function hostFiles(host: string, tree: string): Promise<string> {
  const files = join(folder, `${host}-files`);
  await palimpsestJson(['rewrite', host, '--layout', 'composed', '--out', tree, '--host-files', files]);
  return files;
}

const candidates: readonly Candidate[] = [
  {
    name: 'Ceph, with lambda-edge in front of it',
    skip: CEPH.requirement.skip,
    start: async (tree) => {
      const files = await hostFiles('lambda-edge', tree);
      const store = await CEPH.start();
      const proxy = await startProxy(store.endpoint);
      let started = 0;
      return {
        args: [CEPH.address('race')],
        env: CEPH.env(proxy.endpoint),
        momentToKill: (random) => {
          const count = proxy.requests + 1 + Math.floor(random() * 14);
          return { sign: () => proxy.requests >= count, delay: 0 };
        },
        host: async () => {
          started += 1;
          const copy = join(folder, `start ${started} of lambda-edge.mjs`);
          cpSync(join(files, 'index.mjs'), copy);
          return await composedAt(copy, CEPH.site(store.endpoint, 'race'));
        },
        stop: () => Promise.all([proxy.stop(), store.stop()]),
      };
    },
  },
  {
    name: 'a folder, with node in front of it',
    skip: false,
    start: async (tree) => {
      const [files, work] = [await hostFiles('node', tree), join(folder, 'work')];
      mkdirSync(work);
      const site = join(folder, 'site');
      const { ask, stop } = await node.start({ files, work, tree: site, base: '/api' });
      // a run writes publish.json before it sends anything
      const written = () => statSync(join(site, 'publish.json')).mtimeMs;
      return {
        args: [site],
        env: {},
        momentToKill: (random) => {
          const before = written();
          return { sign: () => written() !== before, delay: random() * 20 };
        },
        host: async () => ask,
        stop,
      };
    },
  },
];

/** Readers who walk at random speeds until they are told to stop. */
class Readers {
  readonly walks: Walk[] = [];
  readonly asOf: Walk[] = [];
  readonly #ends: Promise<void>[];
  #isOver = false;

  constructor(place: Place, known: KnownGenerations) {
    this.#ends = Array.from({ length: READERS }, async (_, index) => {
      const random = chance(index);
      while (!this.#isOver) {
        const ask = await place.host();
        for (let walks = 0; walks < 4 && !this.#isOver; walks += 1) {
          const pace = [0, 0, 1, 5, 15][Math.floor(random() * 5)] ?? 0;
          const pause = async () => void (pace > 0 && (await setTimeout(random() * 2 * pace)));
          const collection = random() < 0.7 ? 'data' : 'account';
          const walk = { ask, known, pause };
          if (random() < 0.5) this.walks.push(await walkPresent(collection, walk));
          // the state of this moment; or one that was published before
          else
            this.asOf.push(
              await walkAsOf(
                collection,
                random() < 0.5 ? new Date().toISOString() : String(published[Math.floor(random() * published.length)]),
                walk,
              ),
            );
        }
      }
    });
    for (const end of this.#ends) end.catch(() => {}); // awaited in stop
  }

  /** How many walks have ended. */
  get crawls(): number {
    return this.walks.length + this.asOf.length;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }
}

/**
 * The generations that are certainly at the target: those that a publish reported since the last removal. A generation whose
 * publish was killed may be dropped by the next publish, because no reader has seen it.
 */
let published: number[] = [];

describe.each(candidates)('readers of the composed layout during publishes to $name', ({ name, skip, start }) => {
  const at = (file: string) => join(folder, `${name} ${file}`);
  const sizes = ['--page-size', '10', '--account-page-size', '5'];
  const known = new KnownGenerations();
  const random = chance(5);
  let place: Place;
  let lines: readonly string[];

  /** Builds the next generation, as if it were two months old. */
  async function build(night: number): Promise<void> {
    await palimpsestJson(buildArgs(at('store.db'), at('static'), sizes));
    const time = new Date(Date.now() - 60 * DAY + night * 60_000).toISOString();
    await palimpsestJson(buildArgs(at('store.db'), at('tree'), [...sizes, '--layout', 'composed', '--built-at', time]));
    known.add(at('static'));
  }

  beforeAll(async () => {
    if (skip) return;
    lines = await recordLines(RECORDS + PUBLISHES * 30, 150);
    await importLines(at('store.db'), lines.slice(0, RECORDS));
    await build(0);
    place = await start(at('tree'));
  }, 60_000);
  afterAll(() => place?.stop());

  it.skipIf(skip)(
    'find no broken link and no page of two states, and miss only what a removal moved',
    async () => {
      published = [1];
      // the states are old and published just now, so --keep deletes none of them
      const limits = ['--concurrency', '64', '--keep', '1d', '--max-delete', '100%', '--timeout', '20'];
      const args = ['publish', ...place.args, '--out', at('tree'), ...limits];
      expect(await palimpsestJson(args, { env: place.env })).toMatchObject({ conditional: true });
      const readers = new Readers(place, known);
      let [kills, removals, records] = [0, 0, RECORDS];
      try {
        for (let night = 0; night < PUBLISHES || kills < KILLS; night += 1) {
          const more = NIGHTS[night % NIGHTS.length] ?? 1;
          await importLines(at('store.db'), lines.slice(records, records + more));
          records += more;
          if (night % 7 === 2 && night < PUBLISHES) {
            const { account }: { readonly account: string } = JSON.parse(lines[night * 11] ?? '');
            const { length } = await removed(account, night);
            if (length > 0) removals += 1;
          }
          await build(night + 1);
          const isKilled = night % 3 === 1 || night >= PUBLISHES ? await killed(args) : false;
          // what is left unfinished is finished by the next publish
          if (isKilled) kills += 1;
          else {
            await publishAll(args);
            if (known.hasRemoval(published.at(-1) ?? 0, known.all.length)) published = [];
            published.push(known.all.length);
          }
          await until(() => readers.crawls >= ((night + 1) * CRAWLS) / PUBLISHES, 120_000);
        }
        await publishAll(args);
      } finally {
        await readers.stop();
      }
      const { walks, asOf } = readers;
      const crossed = walks.filter(({ from, to }) => to > from);
      const missed = crossed.reduce((sum, one) => sum + one.missed, 0);
      const dropped = asOf.filter(({ isDropped }) => isDropped).length;
      console.log(
        `${name}: ${walks.length} walks, ${crossed.length} of them across publishes; ${asOf.length} walks with as_of, ${dropped} of them ` +
          `ended by a removal; ${PUBLISHES} publishes, ${kills} of them killed, ${removals} after removals, which moved ${missed} items`,
      );
      expect([...walks, ...asOf].flatMap(({ faults }) => faults)).toEqual([]);
      expect(kills).toBe(KILLS);
      expect(readers.crawls).toBeGreaterThanOrEqual(CRAWLS);
      expect(crossed.length).toBeGreaterThan(PUBLISHES / 2);
      expect(asOf.length - dropped).toBeGreaterThan(PUBLISHES / 2);
    },
    120_000 + PUBLISHES * 90_000,
  );

  /** Publishes. If a run was killed during its deletes, other runs wait, unless they are told that no other run is there. */
  async function publishAll(args: readonly string[]): Promise<void> {
    const { code, stdout } = await palimpsest([...args, '--json'], { env: place.env, ownProcess: true });
    if (code === 0) return;
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-busy', message: expect.stringContaining('deleting') } });
    await palimpsestJson([...args, '--single-publisher'], { env: place.env, ownProcess: true });
  }

  /** Starts a publish and kills it. Returns whether it was killed: it may end before. */
  async function killed(args: readonly string[]): Promise<boolean> {
    const { signal } = await runAndKill(args, place.momentToKill(random), { env: place.env });
    return signal === 'SIGKILL';
  }

  /** Removes an account from the store. */
  async function removed(account: string, night: number): Promise<readonly unknown[]> {
    const now = `2026-11-22T00:00:${String(night).padStart(2, '0')}Z`;
    await removeAccounts(at('store.db'), [account], { now, allowUnknown: true, isDryRun: false });
    return [account];
  }
});
