import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { pull } from '../../src/backup/pull.ts';
import { type PushOptions, push } from '../../src/backup/push.ts';
import { STORE_KIND } from '../../src/backup/store-version.ts';
import { openTarget } from '../../src/storage/open-target.ts';
import { openRemote } from '../../src/storage/remote.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Target } from '../../src/storage/target.ts';
import { listVersions } from '../../src/versions/newest-commit.ts';
import { changed } from '../publish/in-process.ts';
import { filesIn } from '../support/folder.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { strays } from './strays.ts';

const folder = folderOfFile();
const store = join(folder, 'store.db');
const remote = { concurrency: 4, retryPolicy: { attempts: 3, timeout: 20_000 }, signal: new AbortController().signal };
const keep = { keep: { last: 3 }, deletesUnchanged: true };
const options: PushOptions = { ...remote, around: [], store, ...keep, replace: false, singlePublisher: false, dryRun: false };

beforeAll(async () => {
  await importLines(store, await recordLines(1_000, 100));
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
  expect(await listVersions(openRemote(target, remote), STORE_KIND)).toMatchObject({ versions: [] });
  expect([...filesIn(path).keys()]).toEqual(['palimpsest.json']);
  // after the target works again, the next push leaves nothing else
  await push(await openTarget(path, '', { connections: 4, secrets: {} }), options);
  expect(strays(filesIn(path))).toEqual([]);
});

it.each([
  ['missing', (file: string) => rmSync(file)],
  ['cut short', (file: string) => truncateSync(file, 100)],
])('sends the store again if the file of the newest version is %s', async (name, damage) => {
  const path = join(folder, name);
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  const { version } = await push(target, options);
  const file = version?.file ?? '';
  damage(join(path, file));
  const again = await push(target, options);
  expect(again).toMatchObject({ unchanged: false, version: { number: 2 }, kept: 1, deleted: 0 });
  expect(again.problems).toEqual([`${file} is missing or has another length`]);
  await pull(target, { ...remote, store: join(folder, `${name}.db`), version: undefined, allowMissing: false, replace: false });
  expect(await push(target, options)).toMatchObject({ unchanged: true, problems: [] });
  expect(strays(filesIn(path))).toEqual([]);
});

it('names all lost versions and lists none of them if the folder versions/ is lost, also for another store', async () => {
  const path = join(folder, 'lost');
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  const files: string[] = [];
  const grown = join(folder, 'grown.db');
  for (const records of [100, 200]) {
    await importLines(grown, await recordLines(records, 10));
    files.push((await push(target, { ...options, store: grown })).version?.file ?? '');
  }
  rmSync(join(path, 'versions'), { recursive: true });
  const lost = files.map((file) => `${file} is missing or has another length`);
  expect((await listVersions(openRemote(target, remote), STORE_KIND)).problems).toEqual(expect.arrayContaining(lost));
  // the store of the other tests is another one
  const again = await push(target, options);
  expect(again).toMatchObject({ version: { number: 3 }, kept: 1 });
  expect(again.problems).toEqual(expect.arrayContaining(lost));
  expect(await listVersions(openRemote(target, remote), STORE_KIND)).toMatchObject({ versions: [{ number: 3 }], problems: [] });
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

it('names the target if its folder cannot be created', async () => {
  const path = '/proc/backup';
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  await expect(push(target, options)).rejects.toMatchObject({ code: 'file-system', message: `cannot read or write ${path}` });
});
