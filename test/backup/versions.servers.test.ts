import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { STORE_KIND, type StoreVersion } from '../../src/backup/store-version.ts';
import { type Commit, commitPath, encodeCommit, HEAD, parseCommit } from '../../src/versions/commit.ts';
import type { Store } from '../publish/stores.ts';
import { type Finished, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { PLACES, type Place, strays } from './places.ts';

// Swift takes seconds for each push
vi.setConfig({ testTimeout: 240_000 });

const folder = folderOfFile();
const RECORDS = 2_000;
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

  // at a slow store without conditional writes, only what writes versions
  const isLeftOut = skip || (!isConditional && !isFull);
  const at = (title: string): Place => place(store, folder, `${title} ${name}`.replaceAll(' ', '-'));
  const push = ({ address, env }: Place, path: string, ...more: string[]) =>
    palimpsestJson(['store', 'push', address, '--store', path, ...more], { env });
  const pull = ({ address, env }: Place, path: string, ...more: string[]) =>
    palimpsestJson(['store', 'pull', address, '--store', path, ...more], { env });
  const refused = async ({ address, env }: Place, command: string, ...args: string[]): Promise<{ code: number | null; error: unknown }> => {
    const { code, stdout }: Finished = await palimpsestHere(['store', command, address, ...args, '--json'], {
      env: { ...env, PALIMPSEST_SINGLE_PUBLISHER: '' },
    });
    return { code, error: JSON.parse(stdout).error };
  };

  it.skipIf(skip)('send each version as one file that brotli restores, and return each version', async () => {
    const here = at('grows');
    if (!isConditional)
      expect(await refused(here, 'push', '--store', night(0))).toMatchObject({
        code: 3,
        error: { code: 'no-conditions' },
      });
    const first = await push(here, night(0));
    expect(first).toMatchObject({ unchanged: false, kept: 1, conditional: isConditional, version: { number: 1, records: RECORDS } });
    expect(await push(here, night(0))).toMatchObject({ unchanged: true, conditional: null, requests: { all: 2, writes: 0 } });
    for (const more of [1, 2]) expect(await push(here, night(more))).toMatchObject({ unchanged: false, kept: more + 1 });
    const { versions } = await palimpsestJson(['store', 'list', here.address], { env: here.env });
    expect(versions).toMatchObject([{ number: 3 }, { number: 2 }, { number: 1 }]);
    const objects = await here.objects();
    const files = [...objects.keys()].filter((path) => path.endsWith('.db.br')).toSorted();
    for (const [index, file] of files.entries())
      expect(brotliDecompressSync(objects.get(file) ?? '').equals(readFileSync(night(index)))).toBe(true);
    const fetched = join(folder, `fetched from ${name}.db`);
    for (const [index, path] of nights.entries()) {
      const summary = await pull(here, fetched, '--from-version', String(index + 1));
      expect(summary).toMatchObject({ unchanged: false, version: { number: index + 1, store_sha256: sha256(path) } });
      expect(readFileSync(fetched).equals(readFileSync(path))).toBe(true);
    }
    expect(await pull(here, fetched)).toMatchObject({ unchanged: true, requests: { all: 2 } });
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

  it.skipIf(skip)('keep the versions that a rule keeps, and no other files', async () => {
    const here = at('keeps');
    const numbers = async () =>
      Object((await palimpsestJson(['store', 'list', here.address], { env: here.env }))['versions']).map(
        ({ number }: StoreVersion) => number,
      );
    for (const path of nights) await push(here, path, '--keep', '2');
    expect(await numbers()).toEqual([3, 2]);
    await push(here, night(0), '--replace', '--keep', '1d');
    expect(await numbers()).toEqual([4, 3, 2]);
    // the others are of the same day and month
    expect(await push(here, night(0), '--keep', '1', '--keep-daily', '7', '--keep-monthly', '7')).toMatchObject({
      unchanged: true,
      kept: 1,
      deleted: 2,
    });
    expect(await numbers()).toEqual([4]);
    // without conditional writes, the next run deletes them
    if (!isConditional) await push(here, night(0), '--keep', '1');
    expect(strays(await here.objects())).toEqual([]);
  });

  it.skipIf(skip || !isConditional)('delete everything of earlier versions with --keep 1, also what killed runs left', async () => {
    const here = at('removes');
    for (const path of nights) await push(here, path);
    const target = await here.open();
    const [signal, headers] = [new AbortController().signal, { contentType: 'text/plain', cacheControl: '', contentEncoding: '' }];
    const left = { bytes: Buffer.from('left'), headers, digest: '' };
    await target.put('versions/00000001-0123456789ab.db.br', left, signal);
    await target.put('versions/00000004-0123456789ab.db.br', left, signal);
    const parts = await target.beginParts?.('versions/00000002-0123456789ab.db.br', left, signal);
    await parts?.put(1, left.bytes, signal);
    expect(await push(here, night(2), '--keep', '1')).toMatchObject({ unchanged: true, kept: 1, deleted: 2 });
    expect(strays(await here.objects())).toEqual([]);
    expect((await target.openUploads?.('versions/', signal)) ?? []).toEqual([]);
    target.close();
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

  it.skipIf(isLeftOut)('lose no version if head.json is lost, damaged or old', async () => {
    const here = at('repaired');
    await push(here, night(0));
    const target = await here.open();
    const signal = new AbortController().signal;
    const old = await target.get(HEAD, signal);
    await push(here, night(1));
    const headers = { contentType: 'application/json', cacheControl: '', contentEncoding: '' };
    const write = (bytes: Buffer) => target.put(HEAD, { bytes, headers, digest: '' }, signal);
    const damages = [() => target.remove(HEAD, signal), () => write(Buffer.from('{"pal')), () => write(old?.bytes ?? Buffer.of())];
    for (const damage of damages) {
      await damage();
      const local = join(folder, `not repaired ${name}.db`);
      rmSync(local, { force: true });
      expect(await pull(here, local)).toMatchObject({ version: { number: 2 } });
      expect(await push(here, night(1))).toMatchObject({ unchanged: true, problems: [expect.stringContaining(HEAD)] });
    }
    await write(old?.bytes ?? Buffer.of());
    expect(await push(here, night(2))).toMatchObject({ version: { number: 3 }, kept: 3 });
    target.close();
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
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, error: { code: 'other-form', file: 'palimpsest.json' } });
  });
});

/** Returns the newest commit in a folder. */
function commitIn(target: string): Commit<StoreVersion> & { readonly newest: StoreVersion } {
  const commit = parseCommit(STORE_KIND, HEAD, readFileSync(join(target, HEAD)));
  const newest = commit?.versions.at(-1);
  if (commit === undefined || newest === undefined) throw new Error('no versions');
  return { ...commit, newest };
}

it('an older version is not taken for the newest one if the newest commit is damaged', async () => {
  const target = join(folder, 'unread');
  for (const path of [night(0), night(1)]) await palimpsestJson(['store', 'push', target, '--store', path]);
  for (const file of [commitPath(2), HEAD]) writeFileSync(join(target, file), 'x');
  const list = await palimpsestHere(['store', 'list', target]);
  expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining('commit 2') });
  const local = join(folder, 'unread.db');
  const { code, stdout } = await palimpsestHere(['store', 'pull', target, '--store', local, '--json']);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, error: { code: 'bad-store', file: commitPath(2) } });
  expect(existsSync(local)).toBe(false);
  expect(await palimpsestJson(['store', 'pull', target, '--store', local, '--from-version', '1'])).toMatchObject({
    version: { number: 1 },
  });
});

it('keep 1 on the command line keeps no other version, whatever the environment says', async () => {
  const target = join(folder, 'kept one');
  const env = { PALIMPSEST_KEEP_DAILY: '7', PALIMPSEST_KEEP_MONTHLY: '12' };
  await palimpsestJson(['store', 'push', target, '--store', night(0)], { env });
  const { newest: _, ...commit } = commitIn(target);
  const time = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const bytes = encodeCommit({ ...commit, time, versions: commit.versions.map((version) => ({ ...version, time })) });
  for (const file of [commitPath(1), HEAD]) writeFileSync(join(target, file), bytes);
  expect(await palimpsestJson(['store', 'push', target, '--store', night(1), '--keep', '1'], { env })).toMatchObject({
    kept: 1,
    deleted: 1,
  });
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
    ['other bytes', (data: Buffer) => Buffer.from(data.map((byte, index) => (index === 20_000 ? byte ^ 1 : byte)))],
    ['another store', (data: Buffer) => Buffer.concat([brotliCompressSync('other'), data]).subarray(0, data.length)],
    ['its end missing', (data: Buffer) => data.subarray(0, data.length / 2)],
    ['no file', () => undefined],
  ])('is not fetched: %s', async (title, damage) => {
    const target = join(folder, title);
    mkdirSync(target);
    await palimpsestJson(['store', 'push', target, '--store', night(0)]);
    const { file } = commitIn(target).newest;
    const damaged = damage(readFileSync(join(target, file)));
    if (damaged === undefined) rmSync(join(target, file));
    else writeFileSync(join(target, file), damaged);
    const local = join(folder, `${title}.db`);
    const { code, stdout } = await palimpsestHere(['store', 'pull', target, '--store', local, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, error: { code: 'bad-store', file } });
    expect(existsSync(local)).toBe(false);
    expect(existsSync(`${local}.pull`)).toBe(false);
  });
});
