import { cpSync, existsSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { readHead } from '../../src/composed/head.ts';
import { importInputs } from '../../src/import/import.ts';
import { chunkPath } from '../../src/rewrite/chunks.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { verify } from '../../src/verify/verify.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { chance } from './chance.ts';
import { mountDisk } from './disks.ts';
import { runAndKill } from './killing.ts';
import { slowDisk } from './slow-disk.ts';
import { BASE_URL } from './trees.ts';

/** How many builds are killed. */
const KILLS = Number(process.env['PALIMPSEST_TEST_COMPOSED_KILLS'] ?? 3);
const site = { base_url: BASE_URL, page_size: 100, account_page_size: 100 };
const time = new Date('2026-11-22T03:00:00Z');

function recordOf(id: number, text: string, users: number): string {
  return JSON.stringify({
    id,
    account: `user_${(id * 7919) % users}`,
    data_type: 'Bio',
    previous: null,
    text,
    first_encountered_date: new Date(Date.UTC(2015, 0, 1) + id * 1000).toISOString().replace('.000Z', 'Z'),
    diff_html: `<ins style="background:#e6ffe6;">${text}</ins>`,
    web_archive_url: null,
  });
}

async function importRecords(store: string, ids: readonly number[], users = 997): Promise<void> {
  async function* lines() {
    yield Buffer.from(ids.map((id) => recordOf(id, `the biography ${id}`, users)).join('\n'));
  }
  await importInputs(store, [{ name: 'lines', size: undefined, open: lines }], { onConflict: 'fail' });
}

const numbers = (length: number, first: number, step: number) => Array.from({ length }, (_, index) => first + index * step);
const rootsIn = (out: string) => {
  const head = readHead(out);
  return head === undefined ? undefined : { data: head.data.root, account: head.account.root };
};
/** The violations of a tree, without those of the generated records, which do not name their predecessors. */
async function violationsOf(out: string, store?: string): Promise<unknown> {
  return (await verify({ out, store })).violations.filter(({ rule }) => rule !== 'record-previous').slice(0, 3);
}

/** The account that some tests remove. */
const USER = 'user_1';

async function removeUser(store: string): Promise<void> {
  await removeAccounts(store, [USER], { now: '2026-11-22T03:00:00Z', isDryRun: false, allowUnknown: false });
}

/** The paths of the files in a tree that name the removed account. */
function filesOfUser(out: string): readonly string[] {
  return [...filesIn(out)].filter(([, bytes]) => bytes.includes(`"${USER}"`)).map(([path]) => path);
}

describe('a build of the composed layout', () => {
  it('leaves the old state or the new one whole when it is killed, and the next build completes it', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    await importRecords(at('store.db'), numbers(4000, 10, 10));
    await buildComposed(at('store.db'), { out: at('old'), site, time });
    // late records everywhere, so that most leaves change
    await importRecords(at('store.db'), numbers(480, 15, 80));
    await buildComposed(at('store.db'), { out: at('new'), site, time });
    const [before, after] = [rootsIn(at('old')), rootsIn(at('new'))];
    const args = ['build', '--layout', 'composed', '--store', at('store.db'), '--out', at('out'), '--base-url', BASE_URL];
    const random = chance(20_261_122);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const isFirst = kill % 3 === 2;
      rmSync(at('out'), { recursive: true, force: true });
      if (!isFirst) cpSync(at('old'), at('out'), { recursive: true });
      const staged = () => existsSync(join(at('out'), '.palimpsest', 'stage', 'chunks'));
      await runAndKill(args, { sign: staged, delay: Math.floor(random() * 250) });
      const roots = rootsIn(at('out'));
      expect(isFirst ? [undefined, after] : [before, after]).toContainEqual(roots);
      if (roots !== undefined) expect(await violationsOf(at('out'))).toEqual([]);
      await palimpsestJson(args);
      expect(rootsIn(at('out'))).toEqual(after);
      expect(await violationsOf(at('out'), at('store.db'))).toEqual([]);
    }
  }, 120_000);

  it('deletes the chunks of a removed account although an earlier build was killed before it had deleted them', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await importRecords(store, numbers(4000, 10, 10));
    await buildComposed(store, { out, site, time });
    await removeUser(store);
    const args = ['build', '--layout', 'composed', '--store', store, '--out', out, '--base-url', BASE_URL];
    const { signal } = await runAndKill(args, { sign: () => readHead(out)?.generation === 2, delay: 0 }, { env: slowDisk({ remove: 50 }) });
    expect(signal).toBe('SIGKILL');
    expect(filesOfUser(out).length).toBeGreaterThan(0);
    expect(await palimpsestJson(args)).toMatchObject({ written: 0, build: { generation: 2 } });
    expect(filesOfUser(out)).toEqual([]);
    expect(existsSync(join(out, '.palimpsest'))).toBe(false);
    expect(await palimpsestJson(args)).toMatchObject({ written: 0, removed: 0 });
  });

  it('fails until the chunks of a removed account can be deleted, also if the store is unchanged', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await importRecords(store, numbers(1000, 10, 10));
    await buildComposed(store, { out, site, time });
    await removeUser(store);
    // no user, not even root, can delete a folder as a file
    const obstacle = join(out, chunkPath('0'.repeat(64)));
    mkdirSync(obstacle, { recursive: true });
    for (let run = 0; run < 2; run += 1) {
      await expect(buildComposed(store, { out, site, time })).rejects.toMatchObject({ code: 'file-system' });
      expect(readHead(out)).toMatchObject({ generation: 2 });
      expect(filesOfUser(out).length).toBeGreaterThan(0);
    }
    rmdirSync(obstacle);
    expect((await buildComposed(store, { out, site, time })).removed).toBeGreaterThan(0);
    expect(filesOfUser(out)).toEqual([]);
  });

  it('deletes the chunks of a removed account that a killed first build left', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await importRecords(store, numbers(1000, 10, 10));
    await buildComposed(store, { out, site, time });
    rmSync(join(out, 'head.json'));
    await removeUser(store);
    await buildComposed(store, { out, site, time });
    expect(filesOfUser(out)).toEqual([]);
  });

  it('names the damaged chunk that keeps it from deleting those of a removed account, and repairs it', async () => {
    const folder = temporaryFolder();
    const [store, out, copy] = [join(folder, 'store.db'), join(folder, 'out'), join(folder, 'copy')];
    await importRecords(store, numbers(8000, 10, 10), 8009);
    await buildComposed(store, { out, site, time });
    await removeUser(store);
    await buildComposed(store, { out: copy, site, time });
    const node = readHead(copy)?.account.node;
    expect(node?.level).toBe(2);
    const damaged = join(out, chunkPath(node?.children.find(([hash]) => existsSync(join(out, chunkPath(hash))))?.[0] ?? ''));
    writeFileSync(damaged, Buffer.alloc(statSync(damaged).size));
    const failed = { code: 'tree-edited', place: { file: damaged } };
    for (let run = 0; run < 2; run += 1) await expect(buildComposed(store, { out, site, time })).rejects.toMatchObject(failed);
    await buildComposed(store, { out, site, time, repair: true });
    expect(filesOfUser(out)).toEqual([]);
    expect(await violationsOf(out, store)).toEqual([]);
  });

  it('changes nothing on a full disk', async (context) => {
    const folder = temporaryFolder();
    const disk = mountDisk(context, join(folder, 'disk'), 'size=2m');
    const [store, out] = [join(folder, 'store.db'), join(disk.folder, 'out')];
    await importRecords(store, numbers(1000, 10, 10));
    const args = ['build', '--layout', 'composed', '--store', store, '--out', out, '--base-url', BASE_URL];
    await palimpsestJson(args);
    const before = filesIn(out);
    await importRecords(store, numbers(4000, 100_001, 2));
    const { code, stderr } = await palimpsest(args);
    expect(code).toBe(1);
    expect(stderr).toContain('free some space, then build again');
    expect(filesIn(out)).toEqual(before);
    disk.remount('size=50m');
    await palimpsestJson(args);
    expect(await violationsOf(out, store)).toEqual([]);
  }, 60_000);

  it('refuses a folder in the way of a chunk, and changes nothing', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await importRecords(store, numbers(300, 10, 10));
    await buildComposed(store, { out, site, time });
    await importRecords(store, [5]);
    const fresh = join(folder, 'fresh');
    await buildComposed(store, { out: fresh, site, time: new Date(time.getTime() + 1) });
    const isNew = [...filesIn(fresh).keys()].find((path) => path.startsWith('chunks/') && !existsSync(join(out, path)));
    cpSync(join(fresh, 'head.json'), join(out, isNew ?? '', 'a folder in the way'), { recursive: true });
    const before = filesIn(out);
    await expect(buildComposed(store, { out, site, time: new Date(time.getTime() + 1) })).rejects.toMatchObject({ code: 'not-ours' });
    expect(filesIn(out)).toEqual(before);
  });
});
