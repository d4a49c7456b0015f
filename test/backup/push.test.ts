import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pull } from '../../src/backup/pull.ts';
import { type PushOptions, push } from '../../src/backup/push.ts';
import { listVersions } from '../../src/backup/store-version.ts';
import { openTarget } from '../../src/storage/address.ts';
import { openRemote } from '../../src/storage/remote.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Target } from '../../src/storage/target.ts';
import { changed } from '../publish/in-process.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { SimulatedStore } from '../versions/simulated-store.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { strays } from './strays.ts';

const folder = folderOfFile();
const store = join(folder, 'store.db');
const remote = { concurrency: 4, retryPolicy: { attempts: 3, timeout: 20_000 }, signal: new AbortController().signal };
const options: PushOptions = { ...remote, around: [], store, keep: { last: 3 }, replace: false, singlePublisher: false };

/** Two independent descendants of the store. */
const [more, third] = ['more', 'third'].map((name) => join(folder, `${name}.db`)) as [string, string];

beforeAll(async () => {
  const lines = await recordLines(1_500, 100);
  await importLines(store, lines.slice(0, 1_000));
  for (const path of [more, third]) copyFileSync(store, path);
  await importLines(more, lines.slice(1_000, 1_100));
  await importLines(third, lines.slice(1_100, 1_200));
});

/** A folder as a target with some methods replaced, which sends each object in one request. */
async function targetWith(name: string, change: (target: Target) => Partial<Target>) {
  const path = join(folder, name);
  mkdirSync(path);
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  return { path, target: changed(target, { keepsHeaders: true, ...change(target) }) };
}

const isData = (path: string) => path.endsWith('.db.br');

it('lists no version whose data reads back with other bytes', async () => {
  const { path, target } = await targetWith('rots', (plain) => ({
    put: (name, upload, signal, condition) => {
      const bytes = Buffer.from(upload.bytes);
      if (isData(name)) bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
      return plain.put(name, { ...upload, bytes }, signal, condition);
    },
  }));
  await expect(push(target, options)).rejects.toMatchObject({ code: 'target-failed', place: { file: expect.stringMatching(/\.db\.br$/) } });
  expect(await listVersions(openRemote(target, remote))).toMatchObject({ versions: [] });
  expect([...filesIn(path).keys()]).toEqual(['palimpsest.json']);
  // after the target works again, the next push leaves nothing else
  await push(await openTarget(path, '', { connections: 4, secrets: {} }), options);
  expect(strays(filesIn(path))).toEqual([]);
});

it('refuses a folder around which a site was published later', async () => {
  const site = join(folder, 'site');
  const args = ['store', 'push', join(site, 'private'), '--store', store, '--json'];
  expect(await palimpsestHere(args)).toMatchObject({ code: 0 });
  writeFileSync(join(site, 'publish.json'), '{}');
  const { code, stdout } = await palimpsestHere(args);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, error: { code: 'not-ours', file: 'publish.json' } });
});

it.each([
  ['missing', (file: string) => rmSync(file)],
  ['cut short', (file: string) => truncateSync(file, 100)],
])('sends the store again if the file of the newest version is %s', async (name, damage) => {
  const path = join(folder, name);
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  const { version } = await push(target, options);
  damage(join(path, version.file));
  const again = await push(target, options);
  expect(again).toMatchObject({ unchanged: false, version: { number: 2 }, kept: 1, deleted: 0 });
  expect(again.problems).toEqual([`${version.file} is missing or has another length`]);
  await pull(target, { ...remote, store: join(folder, `${name}.db`), version: undefined, allowMissing: false, replace: false });
  expect(await push(target, options)).toMatchObject({ unchanged: true, problems: [] });
  expect(strays(filesIn(path))).toEqual([]);
});

it('sends seven requests, and two if the target has the store', async () => {
  const { target } = await targetWith('counted', () => ({}));
  await push(target, options);
  expect((await push(target, options)).traffic).toMatchObject({ reads: 2, writes: 0, deletes: 0 });
  const { traffic } = await push(target, { ...options, store: more, replace: true });
  expect(traffic).toMatchObject({ reads: 3, writes: 4, deletes: 0 });
});

it('reads on after a transient error in the middle of a pull', async () => {
  const errors = ['', 'connection lost', 'no response'];
  const { target } = await targetWith('interrupts', (plain) => ({
    get: (name, signal, range) => {
      const error = isData(name) ? errors.pop() : undefined;
      if (error) throw new StorageError('transient', error);
      return plain.get(name, signal, range);
    },
  }));
  errors.length = 0;
  await push(target, options);
  errors.push('', 'connection lost', 'no response');
  const local = join(folder, 'interrupted.db');
  const { traffic } = await pull(target, { ...remote, store: local, version: undefined, allowMissing: false, replace: false });
  expect(traffic.retries).toBe(2);
});

it('changes nothing if another program wrote head.json', async () => {
  const name = 'head.json';
  const { path, target } = await targetWith('foreign', () => ({}));
  writeFileSync(join(path, name), '{"products":[]}');
  await expect(push(target, options)).rejects.toMatchObject({ code: 'not-ours', place: { file: name } });
  expect([...filesIn(path).keys()]).toEqual([name]);
});

it('locks a folder: another run is refused meanwhile', async () => {
  const { path } = await targetWith('locked', () => ({}));
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  const held = target.lock?.();
  await expect(push(await openTarget(path, '', { connections: 4, secrets: {} }), options)).rejects.toMatchObject({ code: 'target-busy' });
  held?.release();
  await push(target, options);
  expect(strays(filesIn(path))).toEqual([]);
});

describe.each(['kept', 'unsupported'] as const)('of two pushes at the same time to a store whose conditions are %s', (conditions) => {
  const single = { ...options, replace: true, singlePublisher: conditions !== 'kept' };
  let objects: SimulatedStore;
  beforeEach(async () => {
    objects = new SimulatedStore();
    objects.conditions = conditions;
    await push(client(), single);
  });

  /** A client that does other work before it writes the data of a version. */
  function client(work: () => Promise<unknown> = async () => {}): Target {
    let begun: Promise<unknown> | undefined;
    return objects.client(async (action, path) => {
      if ((action === 'put' || action === 'begin') && isData(path)) {
        begun ??= work();
        await begun;
      }
      return 'done';
    });
  }

  async function expectNewest(wanted: string): Promise<void> {
    const fetched = join(folder, `newest of ${conditions}.db`);
    await pull(client(), { ...remote, store: fetched, version: undefined, allowMissing: false, replace: true });
    expect(readFileSync(fetched).equals(readFileSync(wanted))).toBe(true);
    expect(strays(new Map([...objects.objects].map(([path, { bytes }]) => [path, bytes])))).toEqual([]);
  }

  it('the one that ends first wins, and the other one does no damage', async () => {
    const other = client(() => push(client(), { ...single, store: more }));
    const message = 'another push to sim://store finished first, with version 2';
    await expect(push(other, { ...single, store: third })).rejects.toMatchObject({ code: 'target-busy', message });
    expect((await listVersions(openRemote(client(), remote))).versions).toMatchObject([{ number: 2 }, { number: 1 }]);
    await expectNewest(more);
    await expect(push(client(), { ...single, store: third, replace: false })).rejects.toMatchObject({ code: 'store-diverged' });
  });

  it('one continues after the other has died, and removes what the dead one left', async () => {
    const stop = new AbortController();
    const dying = client(async () => stop.abort());
    const dies = () => expect(push(dying, { ...single, store: more, signal: stop.signal })).rejects.toMatchObject({ code: 'stopped' });
    expect(await push(client(dies), { ...single, store: third })).toMatchObject({ isConditional: conditions === 'kept' });
    await expectNewest(third);
  });
});
