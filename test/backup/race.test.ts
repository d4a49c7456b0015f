import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listVersions } from '../../src/backup/list.ts';
import { pull } from '../../src/backup/pull.ts';
import { type PushOptions, push } from '../../src/backup/push.ts';
import type { Target } from '../../src/storage/target.ts';
import type { Store } from '../publish/stores.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { PLACES, type Place, strays } from './places.ts';

// Swift takes seconds for each push
vi.setConfig({ testTimeout: 240_000 });

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

const options = (store: string, more: Partial<PushOptions> = {}): PushOptions => ({
  ...remote,
  around: [],
  store,
  keep: 3,
  replace: false,
  ...more,
});

/** A target that does other work before it writes its first block. */
function interrupted(target: Target, work: () => Promise<unknown>): Target {
  let begun: Promise<unknown> | undefined;
  return {
    ...target,
    get: (path, signal) => target.get(path, signal),
    head: (path, signal) => target.head(path, signal),
    remove: (path, signal) => target.remove(path, signal),
    renew: () => target.renew(),
    name: target.name,
    prices: target.prices,
    keepsHeaders: target.keepsHeaders,
    close: () => target.close(),
    put: async (path, upload, signal, condition) => {
      if (path.startsWith('blocks/')) {
        begun ??= work();
        await begun;
      }
      return target.put(path, upload, signal, condition);
    },
  };
}

describe.each(PLACES)('two concurrent pushes to $name', ({ name, skip, start, place, isConditional }) => {
  let store: Store | undefined;
  beforeAll(async () => {
    if (!skip) store = await start();
  });
  afterAll(() => store?.stop());
  const at = (title: string): Place => place(store, folder, `${title} ${name}`.replaceAll(' ', '-'));

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
    await expect(late).rejects.toMatchObject({ code: 'target-busy' });
    expect(await listVersions(target, remote)).toMatchObject([{ number: 2 }, { number: 1 }]);
    await expectNewest(here, other);
    await expect(push(target, options(one))).rejects.toMatchObject({ code: 'store-diverged' });
    // the lost push must leave no blocks
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
    // without conditional writes, a push that seems dead may still end
    if (isConditional) expect(strays(await here.objects())).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('let exactly one win as two processes, and the other one fails with one error', async () => {
    const here = at('programs');
    const target = await here.open();
    await push(target, options(base));
    const args = (path: string) => ['store', 'push', here.address, '--store', path, '--json'];
    const ended = await Promise.all([one, other].map((path) => palimpsest(args(path), { env: here.env })));
    const won = ended.findIndex(({ code }) => code === 0);
    const lost = ended[1 - won];
    expect(['target-busy', 'store-diverged']).toContain(JSON.parse(lost?.stdout ?? '').error.code);
    await expectNewest(here, won === 0 ? one : other);
    target.close();
  });
});
