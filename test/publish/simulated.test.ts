import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PublishOptions } from '../../src/publish/publish.ts';
import { parseState, STATE } from '../../src/publish/state/state.ts';
import { times } from '../support/proof.ts';
import { inVirtualTime } from '../support/virtual-time.ts';
import { type Fate, Killed, SimulatedStore } from '../versions/simulated-store.ts';
import { Turns } from '../versions/turns.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files } from '../whole/trees.ts';
import { Growing } from './growing.ts';
import { filesAt, publishHere } from './in-process.ts';

const KILLS = times('killed publishes of each form', 4, 500);
const FAULTY = times('publishes through a faulty network', 1, 100);
const OVERLAPS = times('overlaps of two publishers', 10, 2_000);
const CONCURRENCY = 4;
/** Each tree replaces each other one, also one with more records. */
const ANY_TREE = { concurrency: CONCURRENCY, allowGaps: true };

/** A way to store pages at a target. */
interface Form {
  readonly name: string;
  /** Additional arguments of the build. */
  readonly build: readonly string[];
  readonly gzip: boolean;
  /** Returns the files of the tree from the stored files. */
  readonly opened: (kept: Files) => Files;
}

const FORMS: readonly Form[] = [
  { name: 'uncompressed', build: [], gzip: false, opened: (kept) => kept },
  {
    name: 'with compressed files beside them',
    build: ['--compress', 'gzip,brotli'],
    gzip: false,
    opened: (kept) => kept,
  },
  {
    name: 'compressed under their own names',
    build: [],
    gzip: true,
    opened: (kept) => new Map([...kept].map(([path, bytes]) => [path, path.startsWith('rest/') ? gunzipSync(bytes) : bytes])),
  },
];

const folder = folderOfFile();

describe.each(FORMS)('publishing pages kept $name to a store in memory', (form) => {
  const options = { concurrency: CONCURRENCY, gzip: form.gzip };
  let [before, after]: Growing[] = [];
  let published: SimulatedStore['objects'];
  beforeAll(async () => {
    const tree = (records: number) => Growing.of(folder, `${form.name} ${records}`, { records, accounts: 20 }, form.build);
    [before, after] = await Promise.all([tree(220), tree(229)]);
    const store = new SimulatedStore();
    await publishHere(store.client(), before.out, options);
    published = store.objects;
  });

  /** A store with the tree of the night before. */
  function storeBefore(): SimulatedStore {
    const store = new SimulatedStore();
    for (const [path, stored] of published) store.objects.set(path, stored);
    return store;
  }

  function expectThere(store: SimulatedStore): void {
    expect(differences(form.opened(filesAt(store)), after?.files() ?? new Map())).toEqual([]);
    expect(parseState(Buffer.from(store.text(STATE) ?? ''))).toMatchObject({ state: 'published', holder: null });
  }

  it('continues after a kill at any request, ends with the same bytes, and sends few objects twice', async () => {
    const random = chance(13);
    const out = after?.out ?? '';
    const { requests } = (await publishHere(storeBefore().client(), out, { ...options, dryRun: true })).plan;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const store = storeBefore();
      const puts = new Map<string, number>();
      let left = Math.ceil(random() * requests.all);
      const count = (action: string, path: string): Fate => {
        if (action === 'put') puts.set(path, (puts.get(path) ?? 0) + 1);
        left -= 1;
        return left === 0 ? 'killed after' : 'done';
      };
      const killed = publishHere(
        store.client(async (...request) => count(...request)),
        out,
        options,
      );
      await expect(killed).rejects.toThrow(Killed);
      // the process that died is this one
      const state = store.text(STATE) ?? '';
      store.put(STATE, Buffer.from(state.replace(/"process":\d+/, '"process":999999999')));
      await publishHere(
        store.client(async (...request) => count(...request)),
        out,
        options,
      );
      expectThere(store);
      // those in flight, and the overlap pages between the lanes of both runs
      const twice = [...puts].filter(([path, times]) => times > 1 && path.startsWith('rest/'));
      expect(twice.length, `of ${puts.size}`).toBeLessThanOrEqual(3 * CONCURRENCY);
    }
  });

  it('loses nothing if 30 % of the requests or their responses are lost', async () => {
    const random = chance(11);
    const fate = async (): Promise<Fate> => (random() < 0.3 ? (random() < 0.5 ? 'no answer' : 'lost answer') : 'done');
    for (let night = 0; night < FAULTY; night += 1) {
      const store = storeBefore();
      const more: Partial<PublishOptions> = { ...options, retryPolicy: { attempts: 12, timeout: 10_000 } };
      const { traffic } = await inVirtualTime(() => publishHere(store.client(fate), after?.out ?? '', more));
      expect(traffic.retries).toBeGreaterThan(0);
      expectThere(store);
    }
  });
});

describe('of two publishes to a store in memory at the same time', () => {
  let trees: Growing[];
  beforeAll(async () => {
    const sizes = [60, 80, 100];
    trees = await Promise.all(sizes.map((records) => Growing.of(folder, `${records}`, { records, accounts: 10 })));
  });

  /** Starts two publishes, whose requests are done in random order, and returns their outcomes and the tree at the store. */
  async function race(seed: number, store: SimulatedStore, more: Partial<PublishOptions> = {}) {
    const turns = new Turns(chance(seed));
    const turn = async (): Promise<Fate> => {
      await turns.take();
      return 'done';
    };
    const [, ...pair] = trees;
    const runs = pair.map(({ out }) => publishHere(store.client(turn), out, { ...ANY_TREE, ...more }));
    const outcomes = (await Promise.allSettled(runs)).map((run) =>
      run.status === 'fulfilled' ? 'published' : String(run.reason.code ?? run.reason),
    );
    const files = filesAt(store);
    const wanted = pair.filter((_, index) => outcomes[index] === 'published');
    const isMixed = !wanted.some((tree) => [...tree.files()].every(([path, bytes]) => files.get(path)?.equals(bytes)));
    return { outcomes: outcomes.toSorted().join(), isMixed };
  }

  it.each([
    ['at a new target', false, 'kept', {}],
    ['at a target with a tree', true, 'kept', {}],
    ['without conditions, of which both say that they are the only one', true, 'unsupported', { singlePublisher: true }],
  ] as const)('one succeeds, and its tree is there: %s', async (_, isPublished, conditions, more) => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= OVERLAPS; seed += 1) {
      const store = new SimulatedStore();
      if (isPublished) await publishHere(store.client(), trees[0]?.out ?? '', ANY_TREE);
      store.conditions = conditions;
      const { outcomes, isMixed } = await inVirtualTime(() => race(seed, store, more));
      expect(isMixed, `${seed}: ${outcomes}`).toBe(false);
      expect(outcomes).toMatch(/^published,(published|target-busy)$/);
      counts.set(outcomes, (counts.get(outcomes) ?? 0) + 1);
    }
    console.log([...counts].map(([text, count]) => `${count} times ${text}`).join('; '));
  });
});
