import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { STORE_KIND, type StoreVersion } from '../../src/backup/store-version.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { type Commit, commitPath, encodeCommit, HEAD, parseCommit } from '../../src/versions/commit-format.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';

const folder = folderOfFile();
const RECORDS = 400;
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

describe('store push and pull', () => {
  const at = (title: string): string => join(folder, title);
  const push = (target: string, path: string, ...more: string[]) => palimpsestJson(['store', 'push', target, '--store', path, ...more]);
  const pull = (target: string, path: string, ...more: string[]) => palimpsestJson(['store', 'pull', target, '--store', path, ...more]);
  const diverged = { code: 3, error: { code: 'store-diverged' } };
  const none = { code: 1, error: { code: 'no-store' } };
  async function refused(...args: string[]) {
    const { code, stdout } = await palimpsestHere([...args, '--json']);
    return { code, ...JSON.parse(stdout) };
  }

  it('send each version as one file that brotli restores, and return each version', async () => {
    const target = at('grows');
    const first = await push(target, night(0));
    expect(first).toMatchObject({ up_to_date: false, kept: 1, conditional: true, version: { number: 1, records: RECORDS } });
    expect(await push(target, night(0))).toMatchObject({ up_to_date: true, conditional: null, requests: { writes: 0 } });
    for (const more of [1, 2]) expect(await push(target, night(more))).toMatchObject({ up_to_date: false, kept: more + 1 });
    expect(await palimpsestJson(['store', 'versions', target])).toMatchObject({ results: [{ number: 3 }, { number: 2 }, { number: 1 }] });
    const objects = filesIn(target);
    const files = [...objects.keys()].filter((path) => path.endsWith('.db.br')).toSorted();
    for (const [index, file] of files.entries())
      expect(brotliDecompressSync(objects.get(file) ?? '').equals(readFileSync(night(index)))).toBe(true);
    const fetched = join(folder, 'fetched.db');
    for (const [index, path] of nights.entries()) {
      const summary = await pull(target, fetched, '--number', String(index + 1));
      expect(summary).toMatchObject({ up_to_date: false, version: { number: index + 1, store_sha256: sha256(path) } });
      expect(readFileSync(fetched).equals(readFileSync(path))).toBe(true);
    }
    expect(await pull(target, fetched)).toMatchObject({ up_to_date: true, requests: { all: 2 } });
    expect(await refused('store', 'pull', target, '--store', fetched, '--number', '9')).toMatchObject(none);
  });

  it('refuse the store of a night without a pull, and change nothing', async () => {
    const target = at('left out');
    await push(target, night(1));
    const small = join(folder, 'small.db');
    await importLines(small, lines.slice(0, 50));
    const before = filesIn(target);
    // an earlier state of the same store is also refused
    for (const store of [small, night(0)]) expect(await refused('store', 'push', target, '--store', store)).toMatchObject(diverged);
    expect(filesIn(target)).toEqual(before);
    await push(target, small, '--replace');
    const kept = join(folder, 'kept.db');
    await pull(target, kept, '--number', '1');
    expect(readFileSync(kept).equals(readFileSync(night(1)))).toBe(true);
  });

  it('call an older version of the same store by its number, and go back to it with --replace', async () => {
    const target = at('way back');
    for (const index of [0, 1]) await push(target, night(index));
    const older = join(folder, 'older.db');
    await pull(target, older, '--number', '1');
    expect(await refused('store', 'push', target, '--store', older)).toMatchObject({
      code: 3,
      error: {
        code: 'store-diverged',
        message: expect.stringMatching(/is version 1 .*older than version 2$/),
        found: 'version 1 of the same store',
      },
    });
    expect(await push(target, older, '--replace')).toMatchObject({ version: { number: 3 }, kept: 3 });
  });

  it('report a missing store, except with --allow-missing', async () => {
    const target = at('nothing');
    mkdirSync(target);
    const fetched = join(folder, 'nothing.db');
    expect(await refused('store', 'pull', target, '--store', fetched)).toMatchObject(none);
    expect(await pull(target, fetched, '--allow-missing')).toMatchObject({ version: null });
    expect(existsSync(fetched)).toBe(false);
    await push(target, night(0));
    expect(await pull(target, fetched, '--allow-missing')).toMatchObject({ version: { number: 1 } });
    expect(contentsOf(fetched)).toBe(contentsOf(night(0)));
  });

  it('do not replace a local store that has other data', async () => {
    const target = at('replaced');
    await push(target, night(1));
    const [local, other] = [join(folder, 'local.db'), join(folder, 'other.db')];
    await importLines(other, lines.slice(5, 60));
    for (const newer of [night(2), other]) {
      copyFileSync(newer, local);
      expect(await refused('store', 'pull', target, '--store', local)).toMatchObject(diverged);
      expect(readFileSync(local).equals(readFileSync(newer))).toBe(true);
    }
    expect(await pull(target, local, '--replace')).toMatchObject({ up_to_date: false });
    expect(readFileSync(local).equals(readFileSync(night(1)))).toBe(true);
  });

  it('do not claim that another state was pushed, if another program changed the local store', async () => {
    const target = at('changed');
    await push(target, night(0));
    const local = join(folder, 'changed.db');
    copyFileSync(night(0), local);
    const database = new Connection(local);
    database.exec('UPDATE account SET screen_name = screen_name');
    database.close();
    await importLines(local, lines.slice(0, RECORDS + 1));
    for (const command of ['push', 'pull']) {
      const { error } = await refused('store', command, target, '--store', local);
      expect(error).toMatchObject({
        code: 'store-diverged',
        found: expect.stringMatching(/^a store with 401 records .* another program changed$/),
      });
    }
  });

  it('refuse a site, and a folder inside a site', async () => {
    const [site, out, store] = [at('site'), at('out'), at('no site')];
    await palimpsestJson(['build', '--store', night(0), '--out', out, '--base-url', 'https://history.example.org']);
    await palimpsestJson(['publish', site, '--out', out]);
    for (const more of [[], ['--prefix', 'deeper/store']]) {
      const pushed = await refused('store', 'push', site, '--store', night(0), ...more);
      expect(pushed).toMatchObject({ code: 3, error: { code: 'not-ours' } });
    }
    for (const args of [['versions'], ['store', 'versions'], ['store', 'pull', '--store', at('none.db'), '--allow-missing']])
      expect(await refused(...args, site)).toMatchObject({
        code: 3,
        error: { code: 'other-form', found: 'the pages of a site, as files' },
      });
    await push(store, night(0));
    const published = await refused('publish', store, '--out', out);
    expect(published).toMatchObject({ code: 3, error: { code: 'other-form', file: 'palimpsest.json' } });
  });
});

/** Returns the newest commit in a folder. */
function commitIn(target: string): Commit<StoreVersion> & { readonly newest: StoreVersion } {
  const commit = parseCommit(STORE_KIND, HEAD, readFileSync(join(target, HEAD)));
  const newest = commit?.versions.at(-1);
  if (commit === undefined || newest === undefined) throw new Error('no versions');
  return { ...commit, newest };
}

it.each([
  [-1, 'store-older', /^with the release .* palimpsest store pull and palimpsest export /, /^if .* see "Upgrade"/],
  [1, 'store-newer', /^update/, /^run .* store pull /],
])('a pull of a version with another schema, and a push after it, say what to do: %i', async (difference, code, pulled, pushed) => {
  const target = join(folder, `release ${code}`);
  await palimpsestJson(['store', 'push', target, '--store', night(0)]);
  const { newest, ...commit } = commitIn(target);
  const other = { ...newest, schema: newest.schema + difference };
  writeFileSync(join(target, HEAD), encodeCommit({ ...commit, versions: [other] }));
  rmSync(join(target, commitPath(1)));
  const { stdout } = await palimpsestHere(['store', 'pull', target, '--store', join(folder, 'other.db'), '--json']);
  const message = expect.stringMatching(/^version 1 at .* was written by an? (old|new)er palimpsest$/);
  expect(JSON.parse(stdout).error).toMatchObject({ code, message, hint: expect.stringMatching(pulled), file: newest.file });
  expect((await palimpsestHere(['store', 'versions', target])).stdout).toContain(`, schema ${other.schema}: this release cannot read it`);
  const imported = join(folder, `imported after ${code}.db`);
  await importLines(imported, lines.slice(0, 60));
  const refusal = await palimpsestHere(['store', 'push', target, '--store', imported, '--json']);
  expect(JSON.parse(refusal.stdout).error).toMatchObject({ code: 'store-diverged', hint: expect.stringMatching(pushed) });
});

it('a push with --replace, or of a store that the target already has, deletes nothing without a --keep option', async () => {
  const target = join(folder, 'many');
  for (const path of [night(0), night(1)]) await palimpsestJson(['store', 'push', target, '--store', path]);
  const { newest, versions, ...commit } = commitIn(target);
  const bytes = encodeCommit({ ...commit, versions: [...Array.from({ length: 15 }, () => versions[0] ?? newest), newest] });
  for (const file of [commitPath(2), HEAD]) writeFileSync(join(target, file), bytes);
  const push = (index: number, ...more: string[]) => palimpsestJson(['store', 'push', target, '--store', night(index), ...more]);
  expect(await push(1)).toMatchObject({ up_to_date: true, kept: 16, deleted: 0 });
  expect(await push(0, '--replace')).toMatchObject({ up_to_date: false, kept: 17, deleted: 0 });
  expect(await push(0, '--keep-last', '15')).toMatchObject({ up_to_date: true, kept: 15, deleted: 2 });
  expect(await push(1, '--replace', '--keep-last', '14')).toMatchObject({ up_to_date: false, kept: 14, deleted: 2 });
});

it('keep-last 1 on the command line keeps no other version, whatever the environment and the times of the versions say', async () => {
  const target = join(folder, 'kept one');
  const env = { PALIMPSEST_KEEP: '90d', PALIMPSEST_KEEP_DAILY: '7', PALIMPSEST_KEEP_MONTHLY: '12' };
  const push = (index: number, ...more: string[]) => palimpsestJson(['store', 'push', target, '--store', night(index), ...more], { env });
  for (const index of [0, 1, 2]) await push(index);
  const { newest: _, ...commit } = commitIn(target);
  // the second one replaced the first one in a run with a clock in the future
  const times = [-3, 365, -3].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const bytes = encodeCommit({ ...commit, versions: commit.versions.map((one, index) => ({ ...one, time: times[index] ?? '' })) });
  for (const file of [commitPath(3), HEAD]) writeFileSync(join(target, file), bytes);
  expect(await push(1, '--replace', '--keep-last', '1')).toMatchObject({ kept: 1, deleted: 3 });
});

describe('a damaged store', () => {
  it('is not pushed', async () => {
    const path = join(folder, 'damaged.db');
    const bytes = readFileSync(night(0));
    const page = Math.floor(bytes.indexOf('first_encountered_date":') / 16_384);
    bytes.fill(0x5a, 16_384 * page + 100, 16_384 * (page + 1));
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
