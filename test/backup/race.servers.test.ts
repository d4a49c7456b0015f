import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pull } from '../../src/backup/pull.ts';
import { type PushOptions, push } from '../../src/backup/push.ts';
import { listVersions, type StoreVersion } from '../../src/backup/store-version.ts';
import { openRemote } from '../../src/storage/remote.ts';
import type { Target } from '../../src/storage/target.ts';
import { type FaultyProxy, startProxy } from '../publish/proxy.ts';
import { CEPH, type Store } from '../publish/stores.ts';
import { withoutConditions } from '../publish/without-conditions.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { PLACES, type Place, strays } from './places.ts';

// Swift takes seconds for each push
vi.setConfig({ testTimeout: 240_000 });

/** How often two processes push at the same time, at each target. */
const OVERLAPS = times('overlaps of two pushes', 4, 100);

const folder = folderOfFile();
const remote = { concurrency: 4, retryPolicy: { attempts: 3, timeout: 20_000 }, signal: new AbortController().signal };
/** A store and two independent descendants of it. */
const [base, one, other] = ['base', 'one', 'other'].map((name) => join(folder, `${name}.db`)) as [string, string, string];

beforeAll(async () => {
  const lines = await recordLines(2_000, 100);
  await importLines(base, lines.slice(0, 1_900));
  for (const [path, more] of [
    [one, lines.slice(1_900, 1_950)],
    [other, lines.slice(1_950)],
  ] as const) {
    copyFileSync(base, path);
    await importLines(path, more);
  }
});

/** A target that does other work before it writes the data of a version. */
function interrupted(target: Target, work: () => Promise<unknown>): Target {
  let begun: Promise<unknown> | undefined;
  const before = async (path: string) => {
    if (!path.endsWith('.db.br')) return;
    begun ??= work();
    await begun;
  };
  return new Proxy(target, {
    get: (_, name: keyof Target) => {
      // the lock of a folder would refuse the other work
      const value: unknown = name === 'lock' ? undefined : target[name];
      if (typeof value !== 'function') return value;
      if (name !== 'put' && name !== 'beginParts') return value.bind(target);
      return async (path: string, ...args: readonly unknown[]) => {
        await before(path);
        return value.call(target, path, ...args);
      };
    },
  });
}

describe.each(PLACES)('two concurrent pushes to $name', ({ name, skip, start, place, isConditional }) => {
  let store: Store | undefined;
  beforeAll(async () => {
    if (!skip) store = await start();
  });
  afterAll(() => store?.stop());
  const at = (title: string): Place => place(store, folder, `${title} ${name}`.replaceAll(' ', '-'));
  const options = (path: string, more: Partial<PushOptions> = {}): PushOptions => ({
    ...remote,
    around: [],
    store: path,
    keep: { last: 3 },
    replace: false,
    singlePublisher: !isConditional,
    ...more,
  });

  async function expectNewest({ open }: Place, expected: string): Promise<void> {
    const target = await open();
    const fetched = join(folder, `fetched from ${target.name.replaceAll('/', ' ')}.db`);
    await pull(target, { ...remote, store: fetched, version: undefined, allowMissing: false, replace: true });
    expect(readFileSync(fetched).equals(readFileSync(expected))).toBe(true);
    target.close();
  }

  it.skipIf(skip)('let the one that ends first win, and the other one does no damage', async () => {
    const here = at('overtaken');
    const target = await here.open();
    await push(target, options(base));
    const late = push(
      interrupted(target, () => push(target, options(other))),
      options(one),
    );
    const message = `another push to ${target.name} finished first, with version 2`;
    await expect(late).rejects.toMatchObject({ code: 'target-busy', message });
    expect((await listVersions(openRemote(target, remote))).versions).toMatchObject([{ number: 2 }, { number: 1 }]);
    await expectNewest(here, other);
    await expect(push(target, options(one))).rejects.toMatchObject({ code: 'store-diverged' });
    // the lost push must leave no data
    expect(strays(await here.objects())).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('let one continue after the other has died, and remove what the dead one left', async () => {
    const here = at('died');
    const target = await here.open();
    await push(target, options(base));
    const dies = async () => {
      const stop = new AbortController();
      const dying = interrupted(target, async () => stop.abort());
      await expect(push(dying, options(other, { signal: stop.signal }))).rejects.toMatchObject({ code: 'stopped' });
    };
    const { isConditional: was } = await push(interrupted(target, dies), options(one));
    expect(was).toBe(isConditional);
    await expectNewest(here, one);
    expect(strays(await here.objects())).toEqual([]);
    target.close();
  });

  it.skipIf(skip)(
    `lose no version in ${OVERLAPS} overlaps of two processes, and report no success that is none`,
    async () => {
      await overlaps(at('programs'), ['--replace']);
    },
    240_000 + OVERLAPS * 30_000,
  );
});

describe.skipIf(CEPH.requirement.skip)('two concurrent pushes to a store that ignores conditions', () => {
  let store: Store;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    store = await CEPH.start();
    proxy = await startProxy(store.endpoint);
    proxy.headersOf = withoutConditions;
  });
  afterAll(async () => {
    await proxy.stop();
    await store.stop();
  });
  const env = () => ({ ...CEPH.env(proxy.endpoint), PALIMPSEST_SINGLE_PUBLISHER: '' });

  it('are both refused, unless there is a single publisher', async () => {
    const args = ['store', 'push', CEPH.address('refused'), '--store', base, '--json'];
    for (const { code, stdout } of await Promise.all([palimpsest(args, { env: env() }), palimpsest(args, { env: env() })])) {
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, error: { code: 'no-conditions' } });
    }
    expect(await palimpsest([...args, '--single-publisher'], { env: env() })).toMatchObject({ code: 0 });
  });

  it(
    `lose no version in ${OVERLAPS} overlaps, although the operator said that there are none`,
    async () => {
      const open = () => {
        Object.assign(process.env, CEPH.keys);
        return import('../../src/storage/address.ts').then(({ openTarget }) =>
          openTarget(CEPH.address('ignoring'), '', { connections: 8, secrets: {}, ...CEPH.access(store.endpoint) }),
        );
      };
      const here: Place = { address: CEPH.address('ignoring'), env: env(), open, objects: async () => new Map() };
      await overlaps(here, ['--replace', '--single-publisher']);
    },
    240_000 + OVERLAPS * 30_000,
  );
});

/** Runs two pushes at the same time, again and again. Each that succeeds must have a version of its own. */
async function overlaps({ address, env, open }: Place, flags: readonly string[]): Promise<void> {
  const random = chance(5);
  const target = await open();
  const succeeded: StoreVersion[] = [];
  const counts = { both: 0, one: 0, none: 0 };
  const run = async (path: string) => {
    await setTimeout(random() * 600);
    const { code, stdout } = await palimpsest(['store', 'push', address, '--store', path, '--keep', '10000', ...flags, '--json'], { env });
    const result = JSON.parse(stdout);
    if (code !== 0) expect(['target-busy', 'store-diverged']).toContain(result.error.code);
    else succeeded.push(result.version);
    return code === 0;
  };
  for (let times = 0; times < OVERLAPS; times += 1) {
    const [left, right] = await Promise.all([run(times % 2 === 0 ? one : base), run(other)]);
    counts[left && right ? 'both' : left || right ? 'one' : 'none'] += 1;
  }
  const { versions } = await listVersions(openRemote(target, remote));
  const missing = succeeded.filter(({ number, sha256 }) => !versions.some((one) => one.number === number && one.sha256 === sha256));
  console.log(`overlap: ${target.name}: ${JSON.stringify(counts)}, ${versions.length} versions`);
  expect(missing).toEqual([]);
  for (const { file, bytes } of versions) {
    const fetched = await target.get(file, remote.signal);
    expect(fetched?.bytes.length, file).toBe(bytes);
  }
  target.close();
}
