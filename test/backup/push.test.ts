import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { listVersions } from '../../src/backup/list.ts';
import { pull } from '../../src/backup/pull.ts';
import { type PushOptions, push } from '../../src/backup/push.ts';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { filesIn } from '../support/folder.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';

const folder = folderOfFile();
const store = join(folder, 'store.db');
const remote = { concurrency: 4, retryPolicy: { attempts: 1, timeout: 20_000 }, signal: new AbortController().signal };
const options: PushOptions = { ...remote, around: [], store, keep: 3, replace: false };

beforeAll(async () => {
  await importLines(store, (await recordLines(1_500, 100)).slice(0, 1_000));
});

/** A folder as a target with some methods replaced. */
async function targetWith(
  name: string,
  change: (target: Target) => Partial<Target>,
): Promise<{ readonly path: string; readonly target: Target }> {
  const path = join(folder, name);
  mkdirSync(path);
  const target = await openTarget(path, '', { connections: 4, secrets: {} });
  const same: Target = {
    name: target.name,
    prices: target.prices,
    keepsHeaders: target.keepsHeaders,
    get: (...args) => target.get(...args),
    list: (...args) => target.list(...args),
    head: (...args) => target.head(...args),
    put: (...args) => target.put(...args),
    remove: (...args) => target.remove(...args),
    renew: () => target.renew(),
    close: () => target.close(),
  };
  return { path, target: { ...same, ...change(target) } };
}

const isBlock = (path: string) => path.startsWith('blocks/');

it('lists no version whose blocks read back with other bytes', async () => {
  const { path, target } = await targetWith('rots', (plain) => ({
    put: (name, upload, signal, condition) => {
      const bytes = Buffer.from(upload.bytes);
      if (isBlock(name)) bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
      return plain.put(name, { ...upload, bytes }, signal, condition);
    },
  }));
  await expect(push(target, options)).rejects.toMatchObject({ code: 'target-failed', place: { file: expect.stringMatching(/^blocks\//) } });
  expect(await listVersions(target, remote)).toEqual([]);
  expect(JSON.parse(readFileSync(join(path, 'store.json'), 'utf8'))).toMatchObject({ versions: [], unfinished: [expect.any(String)] });
  // after the target works again, the next push sends everything and leaves no garbage
  const sound = await openTarget(path, '', { connections: 4, secrets: {} });
  const { blocks } = await push(sound, options);
  expect(blocks.sent).toBe(blocks.all);
  expect(filesIn(path).size).toBe(blocks.all + 2);
});

it('sends a block again after it read back with other bytes', async () => {
  let times = 0;
  const { target } = await targetWith('rots once', (plain) => ({
    get: async (name, signal) => {
      const fetched = await plain.get(name, signal);
      if (fetched === undefined || !isBlock(name)) return fetched;
      times += 1;
      return times === 1 ? { ...fetched, bytes: Buffer.from('other') } : fetched;
    },
  }));
  const { blocks, traffic } = await push(target, options);
  // each block, the list, the catalog twice, and one block again
  expect(traffic.writes).toBe(blocks.all + 3 + 1);
});

it('changes nothing if store.json belongs to another program', async () => {
  const { path, target } = await targetWith('foreign', () => ({}));
  writeFileSync(join(path, 'store.json'), '{"products":[]}');
  const refusal = { code: 'not-ours', place: { file: 'store.json' } };
  await expect(push(target, options)).rejects.toMatchObject(refusal);
  const fetched = { ...remote, store: join(folder, 'fetched.db'), version: undefined, allowMissing: true, replace: true };
  await expect(pull(target, fetched)).rejects.toMatchObject(refusal);
  expect([...filesIn(path).keys()]).toEqual(['store.json']);
});
