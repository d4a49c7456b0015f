import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, startProxy } from '../publish/proxy.ts';
import { fetchAll, rclone, STORES, type Store, SWIFT } from '../publish/stores.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { strays } from './strays.ts';

const RATE = 0.3;
const folder = folderOfFile();
/** A store before and after a night. */
const [before, after] = [join(folder, 'before.db'), join(folder, 'after.db')];
beforeAll(async () => {
  const lines = await recordLines(2_000, 200);
  await importLines(before, lines.slice(0, 1_990));
  copyFileSync(before, after);
  await importLines(after, lines);
});

const isSame = (one: string, other: string) => readFileSync(one).equals(readFileSync(other));

describe.each(STORES)('a store at $name', (kind) => {
  const { isConditional } = kind;
  const skip = kind.requirement.skip || rclone.skip;
  let store: Store;
  beforeAll(async () => {
    if (!skip) store = await kind.start();
  });
  afterAll(() => store?.stop());

  async function objects(prefix: string): Promise<Map<string, Buffer>> {
    const into = join(folder, `${prefix} fetched from ${kind.name}`);
    await fetchAll(kind, store.endpoint, prefix, into);
    return filesIn(into);
  }

  it.skipIf(skip)('is one file for each version, which brotli restores and pull returns', async () => {
    const [address, env] = [kind.address('pushed'), kind.env(store.endpoint)];
    const push = (path: string, ...more: string[]) => palimpsestJson(['store', 'push', address, '--store', path, ...more], { env });
    if (!isConditional) {
      const args = ['store', 'push', address, '--store', before, '--json'];
      const { code, stdout } = await palimpsestHere(args, { env: { ...env, PALIMPSEST_SINGLE_PUBLISHER: '' } });
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, error: { code: 'no-conditions' } });
    }
    expect(await push(before)).toMatchObject({ unchanged: false, kept: 1, conditional: isConditional, version: { number: 1 } });
    expect(await push(before)).toMatchObject({ unchanged: true, requests: { all: 2, writes: 0 } });
    expect(await push(after)).toMatchObject({ unchanged: false, kept: 2 });
    const there = await objects('pushed');
    const files = [...there.keys()].filter((path) => path.endsWith('.db.br')).toSorted();
    for (const [index, path] of [before, after].entries()) {
      expect(brotliDecompressSync(there.get(files[index] ?? '') ?? '').equals(readFileSync(path))).toBe(true);
      const local = join(folder, `version ${index + 1} of ${kind.name}.db`);
      await palimpsestJson(['store', 'pull', address, '--store', local, '--from-version', String(index + 1)], { env });
      expect(isSame(local, path)).toBe(true);
    }
    const keepOne = ['store', 'push', address, '--store', after, '--keep', '1', '--json'];
    const { code, stdout } = await palimpsestHere(keepOne, { env });
    // without conditional writes, only the next run deletes what one leaves
    if (isConditional) expect(JSON.parse(stdout)).toMatchObject({ unchanged: true, kept: 1, deleted: 1 });
    else expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, error: { code: 'not-removed' } });
    if (!isConditional) await push(after, '--keep', '1');
    expect(strays(await objects('pushed'))).toEqual([]);
  });

  // Swift takes ten times as long for each request
  it.skipIf(skip || kind === SWIFT)(`loses nothing if ${RATE * 100} % of the requests fail`, async () => {
    const random = chance(18);
    const proxy = await startProxy(store.endpoint);
    try {
      let faults = 0;
      proxy.draw = () => {
        if (random() >= RATE) return undefined;
        faults += 1;
        return FAULTS[faults % FAULTS.length];
      };
      const env = kind.env(proxy.endpoint);
      const address = kind.address('faulty');
      for (const path of [before, after]) {
        const push = ['store', 'push', address, '--store', path, '--timeout', '2'];
        expect(await palimpsestJson(push, { env })).toMatchObject({ unchanged: false });
        const local = join(folder, `faulty ${kind.name}.db`);
        await palimpsestJson(['store', 'pull', address, '--store', local, '--timeout', '2'], { env });
        expect(isSame(local, path)).toBe(true);
      }
      proxy.draw = () => undefined;
      const { versions } = await palimpsestJson(['store', 'list', address], { env });
      expect(versions).toMatchObject([{ number: 2 }, { number: 1 }]);
      expect(strays(await objects('faulty'))).toEqual([]);
      expect(faults).toBeGreaterThanOrEqual(FAULTS.length);
    } finally {
      await proxy.stop();
    }
  });
});
