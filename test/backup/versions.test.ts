import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BLOCK_BYTES, encodeBlocks, listPath } from '../../src/backup/block-list.ts';
import type { Store } from '../publish/stores.ts';
import { makeVersion7 } from '../store/earlier-store.ts';
import { type Finished, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { PLACES, type Place } from './places.ts';

// Swift takes seconds for each push
vi.setConfig({ testTimeout: 240_000 });

const folder = folderOfFile();
const RECORDS = 2_000;
/** Whether all tests run at a slow store without conditional writes, not only those that write versions. */
const IS_WHOLE = process.env['PALIMPSEST_TEST_KILLS'] !== undefined;
/** The same store on successive nights. Each night adds some records. */
const nights: string[] = [];
let lines: readonly string[];

beforeAll(async () => {
  lines = await recordLines(RECORDS + 10, 200);
  for (const [night, count] of [RECORDS, RECORDS + 1, RECORDS + 4].entries()) {
    const path = join(folder, `night ${night}.db`);
    const before = nights.at(-1);
    if (before !== undefined) copyFileSync(before, path);
    await importLines(path, lines.slice(0, count));
    nights.push(path);
  }
});

const night = (index: number): string => nights[index] ?? '';
const sha256 = (path: string) => execFileSync('sha256sum', [path], { encoding: 'utf8' }).slice(0, 64);

describe.each(PLACES)('store push and pull at $name', ({ name, skip, isConditional, start, place }) => {
  let store: Store | undefined;
  beforeAll(async () => {
    if (!skip) store = await start();
  });
  afterAll(() => store?.stop());

  const isLeftOut = skip || (!isConditional && !IS_WHOLE);
  const at = (title: string): Place => place(store, folder, `${title} ${name}`.replaceAll(' ', '-'));
  const push = ({ address, env }: Place, path: string, ...more: string[]) =>
    palimpsestJson(['store', 'push', address, '--store', path, ...more], { env });
  const pull = ({ address, env }: Place, path: string, ...more: string[]) =>
    palimpsestJson(['store', 'pull', address, '--store', path, ...more], { env });
  const refused = async ({ address, env }: Place, command: string, ...args: string[]): Promise<{ code: number | null; error: unknown }> => {
    const { code, stdout }: Finished = await palimpsestHere(['store', command, address, ...args, '--json'], { env });
    return { code, error: JSON.parse(stdout).error };
  };

  it.skipIf(skip)('send the whole store, then nothing, then the changed blocks, and return each version', async () => {
    const here = at('grows');
    const first = await push(here, night(0));
    expect(first).toMatchObject({ unchanged: false, kept: 1, conditional: isConditional, version: { number: 1, records: RECORDS } });
    const bytes = Number(first['bytes']);
    expect(await push(here, night(0))).toMatchObject({ unchanged: true, blocks: { sent: 0 }, requests: { writes: 0 } });
    for (const more of [1, 2]) {
      const next = await push(here, night(more));
      expect(next).toMatchObject({ unchanged: false, kept: more + 1 });
      expect(Number(next['bytes'])).toBeLessThan(bytes);
    }
    const { versions } = await palimpsestJson(['store', 'list', here.address], { env: here.env });
    expect(versions).toMatchObject([{ number: 3 }, { number: 2 }, { number: 1 }]);
    const fetched = join(folder, `fetched from ${name}.db`);
    for (const [index, path] of nights.entries()) {
      const summary = await pull(here, fetched, '--from-version', String(index + 1));
      expect(summary).toMatchObject({ unchanged: false, version: { number: index + 1, sha256: sha256(path) } });
      expect(readFileSync(fetched).equals(readFileSync(path))).toBe(true);
    }
    expect(await pull(here, fetched)).toMatchObject({ unchanged: true, blocks: { fetched: 0 } });
    expect(await refused(here, 'pull', '--store', fetched, '--from-version', '9')).toMatchObject({ code: 1, error: { code: 'no-store' } });
  });

  it.skipIf(isLeftOut)('refuse the store of a night without a pull, and change nothing', async () => {
    const here = at('left out');
    await push(here, night(1));
    const small = join(folder, `small ${name}.db`);
    await importLines(small, lines.slice(0, 50));
    const before = await here.objects();
    expect(await refused(here, 'push', '--store', small)).toMatchObject({ code: 3, error: { code: 'store-diverged' } });
    // an earlier state of the same store is also refused
    expect(await refused(here, 'push', '--store', night(0))).toMatchObject({ code: 3, error: { code: 'store-diverged' } });
    expect(await here.objects()).toEqual(before);

    await push(here, small, '--replace');
    const kept = join(folder, `kept ${name}.db`);
    await pull(here, kept, '--from-version', '1');
    expect(readFileSync(kept).equals(readFileSync(night(1)))).toBe(true);
  });

  it.skipIf(skip)('keep the given number of versions, and no other objects', async () => {
    const here = at('keeps');
    for (const path of nights) await push(here, path, '--keep', '2');
    const { versions } = await palimpsestJson(['store', 'list', here.address], { env: here.env });
    expect(versions).toMatchObject([{ number: 3 }, { number: 2 }]);
    await push(here, night(0), '--keep', '1', '--replace');
    const alone = at('alone');
    await push(alone, night(0));
    expect((await here.objects()).size).toBe((await alone.objects()).size);
    const fetched = join(folder, `last of ${name}.db`);
    await pull(here, fetched);
    expect(readFileSync(fetched).equals(readFileSync(night(0)))).toBe(true);
  });

  it.skipIf(skip)('report a missing store, except with --allow-missing', async () => {
    const here = at('nothing');
    const fetched = join(folder, `nothing from ${name}.db`);
    expect(await refused(here, 'pull', '--store', fetched)).toMatchObject({ code: 1, error: { code: 'no-store' } });
    expect(await pull(here, fetched, '--allow-missing')).toMatchObject({ version: null });
    expect(existsSync(fetched)).toBe(false);
    await push(here, night(0));
    expect(await pull(here, fetched, '--allow-missing')).toMatchObject({ version: { number: 1 } });
    expect(contentsOf(fetched)).toBe(contentsOf(night(0)));
  });

  it.skipIf(isLeftOut)('do not replace a local store that has other data', async () => {
    const here = at('replaced');
    await push(here, night(1));
    for (const other of [night(2), join(folder, `other ${name}.db`)]) {
      if (other !== night(2)) await importLines(other, lines.slice(5, 60));
      const local = join(folder, `local ${name}.db`);
      copyFileSync(other, local);
      expect(await refused(here, 'pull', '--store', local)).toMatchObject({ code: 3, error: { code: 'store-diverged' } });
      expect(readFileSync(local).equals(readFileSync(other))).toBe(true);
    }
    const local = join(folder, `local ${name}.db`);
    copyFileSync(night(2), local);
    expect(await pull(here, local, '--replace')).toMatchObject({ unchanged: false });
    expect(readFileSync(local).equals(readFileSync(night(1)))).toBe(true);
  });

  it.skipIf(isLeftOut)('do not fetch blocks that the local store already has', async () => {
    const here = at('partly');
    await push(here, night(2));
    const local = join(folder, `behind ${name}.db`);
    copyFileSync(night(0), local);
    const { blocks } = await pull(here, local);
    expect(readFileSync(local).equals(readFileSync(night(2)))).toBe(true);
    expect(blocks).toMatchObject({ fetched: expect.any(Number) });
    const { all, fetched } = Object(blocks);
    expect(fetched).toBeLessThan(all);
  });

  it.skipIf(skip)('refuse a site, and a folder inside a site', async () => {
    const site = at('site');
    const out = join(folder, `out ${name}`);
    await palimpsestJson(['build', '--store', night(0), '--out', out, '--base-url', 'https://history.example.org']);
    await palimpsestJson(['publish', site.address, '--out', out], { env: site.env });
    for (const more of [[], ['--prefix', 'deeper/store']]) {
      expect(await refused(site, 'push', '--store', night(0), ...more)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
    }
    const here = at('no site');
    await push(here, night(0));
    const { code, stdout } = await palimpsestHere(['publish', here.address, '--out', out, '--json'], { env: here.env });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, error: { code: 'not-ours', file: 'store.json' } });
  });
});

it('pulls a store of version 7, whose fingerprint does not include former handles', async () => {
  const path = join(folder, 'earlier.db');
  await observe(path, [
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'jack_d', id: '12', bio: 'a' },
    { observed_at: '2020-01-02T00:00:00Z', screen_name: 'jack', id: '12', bio: 'b' },
  ]);
  const target = join(folder, 'of an earlier program');
  mkdirSync(target);
  const { version } = Object(await palimpsestJson(['store', 'push', target, '--store', path]));
  // what an earlier program would have pushed
  const { fingerprint } = makeVersion7(path);
  const bytes = readFileSync(path);
  const catalog = readFileSync(join(target, 'store.json'), 'utf8');
  const blocks = Array.from({ length: Math.ceil(bytes.length / BLOCK_BYTES) }, (_, index) => {
    const block = bytes.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES);
    const object = { digest: createHash('sha256').update(block).digest('hex'), path: `blocks/${version.id}/${index}.br` };
    writeFileSync(join(target, object.path), brotliCompressSync(block));
    return object;
  });
  writeFileSync(join(target, listPath(version.id)), encodeBlocks(blocks));
  writeFileSync(
    join(target, 'store.json'),
    catalog
      .replace(version.sha256, sha256(path))
      .replace(version.fingerprint, fingerprint)
      .replace(/("bytes": *)\d+/, `$1${bytes.length}`),
  );
  const local = join(folder, 'pulled.db');
  expect(await palimpsestJson(['store', 'pull', target, '--store', local])).toMatchObject({ unchanged: false });
  expect(contentsOf(local)).toBe(contentsOf(path));
  expect(await palimpsestJson(['store', 'push', target, '--store', local])).toMatchObject({ version: { number: 2 } });
});

describe('a damaged store', () => {
  it('is not pushed', async () => {
    const path = join(folder, 'damaged.db');
    const bytes = readFileSync(night(0));
    bytes.fill(0x5a, 16_384 * 7 + 100, 16_384 * 8);
    writeFileSync(path, bytes);
    const target = join(folder, 'no place');
    const { code, stdout } = await palimpsestHere(['store', 'push', target, '--store', path, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, error: { code: 'bad-store' } });
    expect(existsSync(target)).toBe(false);
  });

  it.each([
    ['a block with other bytes', (target: string, block: string) => writeFileSync(join(target, block), 'other')],
    ['a block that is missing', (target: string, block: string) => execFileSync('rm', [join(target, block)])],
  ])('is not fetched: %s', async (title, damage) => {
    const target = join(folder, title);
    mkdirSync(target);
    const pushed = await palimpsestJson(['store', 'push', target, '--store', night(0)]);
    const { id } = Object(pushed['version']);
    damage(target, `blocks/${id}/3.br`);
    const local = join(folder, `${title}.db`);
    const { code, stdout } = await palimpsestHere(['store', 'pull', target, '--store', local, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, error: { code: 'bad-store', file: `blocks/${id}/3.br` } });
    expect(existsSync(local)).toBe(false);
    expect(existsSync(`${local}.pull`)).toBe(false);
  });
});
