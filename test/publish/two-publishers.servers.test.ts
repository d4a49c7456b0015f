import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, palimpsest, palimpsestHere } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';
import { CEPH, type Store } from './stores.ts';
import { withoutConditions } from './without-conditions.ts';

/** How often two processes publish at the same time. */
const OVERLAPS = times('overlaps of two publishers', 3, 100);
/** The milliseconds in which the second process starts, so that most runs overlap. */
const [AT_FOLDER, AT_STORE] = [150, 1_000];
/** Each tree replaces each other one, also one with more records. */
const ANY_TREE = ['--allow-gaps', '--max-delete', '100%'];
const TIMEOUT = 60_000 + OVERLAPS * 20_000;

const folder = folderOfFile();

let trees: readonly string[];
beforeAll(async () => {
  const sizes = [200, 240, 280, 320];
  trees = await Promise.all(sizes.map(async (records) => (await Growing.of(folder, `${records}`, { records, accounts: 20 })).out));
}, 60_000);

/** Two publishes of different trees, neither of which is at the target. */
interface Race {
  readonly outcomes: readonly string[];
  /** The trees of the runs that succeeded. */
  readonly published: readonly string[];
  /** The tree that is at the target; undefined if none of the two is, or a mixture. */
  readonly found: string | undefined;
}

interface RaceOptions {
  readonly delay: number;
  readonly more?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function race(number: number, target: string, { delay, more = [], env = {} }: RaceOptions): Promise<Race> {
  const random = chance(number);
  const pair = trees.slice(number % 2 === 0 ? 0 : 2).slice(0, 2);
  const ended = await Promise.all(
    pair.map(async (out, index) => {
      await setTimeout(index * random() * delay);
      return palimpsest([...publishArgs(out, target, [...ANY_TREE, ...more]), '--json'], { env });
    }),
  );
  const outcomes = ended.map(outcomeOf);
  const found: string[] = [];
  for (const out of pair) if (await isAt(target, out, env)) found.push(out);
  return { outcomes, published: pair.filter((_, index) => outcomes[index]?.startsWith('published')), found: found[0] };
}

/** A run that leaves deletes to the next one has published its tree. */
function outcomeOf({ code, stdout }: Finished): string {
  const { left, error } = JSON.parse(stdout);
  if (code === 0) return 'published';
  return left > 0 ? 'published, and left files' : `${code} ${error.code}`;
}

/** Whether the target has all files of a tree. */
async function isAt(target: string, out: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const { stdout } = await palimpsestHere([...publishArgs(out, target, [...ANY_TREE, '--repair', '--plan']), '--json'], { env });
  return JSON.parse(stdout).plan.uploads === 0;
}

/** Runs all races. Whoever succeeds has published its tree and no mixture, and one run always succeeds. */
async function expectOneWinner(name: string, targetOf: (number: number) => string, options: RaceOptions): Promise<void> {
  const counts = new Map<string, number>();
  for (let number = 0; number < OVERLAPS; number += 1) {
    const { outcomes, published, found } = await race(number, targetOf(number), options);
    const text = outcomes.join(' | ');
    counts.set(text, (counts.get(text) ?? 0) + 1);
    expect(published, `${name} ${number}: ${text}`).toContain(found);
    for (const outcome of outcomes) expect(outcome).toMatch(/^(published|1 target-busy)/);
  }
  console.log(`two publishers at ${name}: ${[...counts].map(([text, count]) => `${count} times ${text}`).join('; ')}`);
}

describe('of two publishes to a folder at the same time, one succeeds', () => {
  it('if it was published to before', () => expectOneWinner('a folder', () => join(folder, 'site'), { delay: AT_FOLDER }), TIMEOUT);

  it('if it is new', () => expectOneWinner('new folders', (number) => join(folder, `new-${number}`), { delay: AT_FOLDER }), TIMEOUT);
});

describe.skipIf(CEPH.requirement.skip)('two publishes to a real S3 server at the same time', () => {
  let store: Store;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    store = await CEPH.start();
    proxy = await startProxy(store.endpoint);
    proxy.headersOf = withoutConditions;
  }, 60_000);
  afterAll(async () => {
    await proxy?.stop();
    await store?.stop();
  });
  const through = (endpoint: string, more: readonly string[] = []) => ({ delay: AT_STORE, env: CEPH.env(endpoint), more });

  it('have one that succeeds', () => expectOneWinner('an S3 server', () => CEPH.address('conditional'), through(store.endpoint)), TIMEOUT);

  it(
    'have one that succeeds if the target is new',
    () => expectOneWinner('new S3 targets', (number) => CEPH.address(`new-${number}`), through(store.endpoint)),
    TIMEOUT,
  );

  it(
    'are both refused and change nothing if it ignores conditions',
    async () => {
      const target = CEPH.address('ignored');
      const options = through(proxy.endpoint);
      const refused = { outcomes: ['3 no-conditions', '3 no-conditions'] };
      expect(await race(0, target, options)).toMatchObject(refused);
      const [first = ''] = trees;
      // the refused runs left nothing
      expect(await publishJson(publishArgs(first, target), CEPH.env(store.endpoint))).toMatchObject({ resumed: false, conditional: true });
      for (let number = 1; number < OVERLAPS; number += 2) {
        expect(await race(number, target, options)).toMatchObject(refused);
        expect(await isAt(target, first, options.env)).toBe(true);
      }
    },
    TIMEOUT,
  );

  it(
    'have one that succeeds if it ignores conditions and both say that they are the only one',
    () => expectOneWinner('a store without conditions', () => CEPH.address('single'), through(proxy.endpoint, ['--single-publisher'])),
    TIMEOUT,
  );
});
