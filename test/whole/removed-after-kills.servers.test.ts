import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyProxy, startProxy } from '../publish/proxy.ts';
import { AZURITE, CEPH, fetchAll, rclone, type Store } from '../publish/stores.ts';
import { filesIn, pathsIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isFull, times } from '../support/proof.ts';
import { filesInZip } from '../zip/zips.ts';
import { chance } from './chance.ts';
import { runAndKill } from './killing.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';

const KILLS = times('killed runs of each kind at each target', 2, 300);
/** The most runs for each that is killed. */
const ATTEMPTS = 10;
const SECRET = 'removed_person';
/** No run of this test that writes only to the disk takes longer. */
const LONGEST_RUN_MS = 600;
const BASE_URL = 'https://history.example';
const SIZES = ['--base-url', BASE_URL, '--page-size', '10', '--account-page-size', '5'];

const folder = folderOfFile();
let lines: readonly string[];
beforeAll(async () => {
  // some runs end before their kill
  const most = 200 + KILLS * 4 * ATTEMPTS;
  const all = await recordLines(most, 20);
  const { account } = JSON.parse(all[0] ?? '');
  // each kill happens to a run that sends a record of the account that is removed afterwards
  lines = all.map((line) => line.replaceAll(`"account":"${account}"`, `"account":"${SECRET}"`));
});

interface Kind {
  readonly name: string;
  /** The tree that a run sends; undefined for the store itself. */
  readonly tree: string | undefined;
  readonly args: (address: string, local: { readonly store: string; readonly out: string }) => readonly string[];
  /** What a run after a removal has in addition. */
  readonly afterRemoval: readonly string[];
  /** Whether a target needs a file that is neither in the tree nor the data of a live version. */
  readonly isNeeded: (path: string) => boolean;
}

const KINDS: readonly Kind[] = [
  {
    name: 'publish of a ZIP',
    tree: 'history.zip',
    args: (address, { store, out }) => ['publish', address, '--out', out, '--store', store],
    afterRemoval: [],
    isNeeded: (path) => /^(?:head|palimpsest|versions\/\d{8})\.json$/.test(path),
  },
  {
    name: 'publish of a folder',
    tree: 'history',
    args: (address, { out }) => ['publish', address, '--out', out],
    afterRemoval: ['--allow-gaps', '--max-delete', '100%'],
    isNeeded: (path) => path === 'publish.json',
  },
  {
    name: 'store push',
    tree: undefined,
    args: (address, { store }) => ['store', 'push', address, '--store', store, '--replace'],
    afterRemoval: ['--keep-last', '1'],
    isNeeded: (path) => /^(?:head|palimpsest|versions\/\d{8})\.json$/.test(path),
  },
];

/** Returns the texts in a file: its bytes, and what they contain compressed. */
function textsIn(path: string, bytes: Buffer): Buffer[] {
  if (path.endsWith('.br')) return [bytes, brotliDecompressSync(bytes)];
  if (path.endsWith('.gz')) return [bytes, gunzipSync(bytes)];
  if (!path.endsWith('.zip')) return [bytes];
  const zip = join(folder, 'one.zip');
  writeFileSync(zip, bytes);
  return [bytes, ...filesInZip(zip).values()];
}

/** Returns a mark for each file, which changes when the file is written. */
function marksIn(path: string): string[] {
  return pathsIn(path).map((file) => `${file} ${statSync(join(path, file), { throwIfNoEntry: false })?.mtimeMs}`);
}

function filesWith(text: string, files: ReadonlyMap<string, Buffer>): string[] {
  return [...files].filter(([path, bytes]) => textsIn(path, bytes).some((one) => one.includes(text))).map(([path]) => path);
}

const SERVERS = isFull ? [CEPH, AZURITE] : [CEPH];
const PLACES = [{ name: 'a folder', server: undefined }, ...SERVERS.map((server) => ({ name: server.name, server }))];

describe.each(PLACES)('at $name', ({ name: placeName, server }) => {
  const skip = server !== undefined && (server.requirement.skip || rclone.skip);
  let running: Store | undefined;
  let proxy: FaultyProxy | undefined;
  beforeAll(async () => {
    if (skip || server === undefined) return;
    running = await server.start();
    proxy = await startProxy(running.endpoint);
  });
  afterAll(async () => {
    await proxy?.stop();
    await running?.stop();
  });

  /** Returns all objects at the target, read by another program. */
  async function objectsAt(address: string, prefix: string): Promise<Map<string, Buffer>> {
    if (server === undefined || running === undefined) return filesIn(address);
    const into = join(folder, `fetched from ${placeName}`);
    rmSync(into, { recursive: true, force: true });
    await fetchAll(server, running.endpoint, prefix, into);
    return filesIn(into);
  }

  /** Returns a function that counts what a run has done at the target until now. */
  function progress(address: string): () => number {
    if (proxy === undefined) {
      const before = new Set(marksIn(address));
      return () => marksIn(address).filter((mark) => !before.has(mark)).length;
    }
    const before = proxy.requests;
    return () => (proxy?.requests ?? 0) - before;
  }

  it.skipIf(skip).each(KINDS)('nothing of a removed account is left after killed runs: $name', async (kind) => {
    const random = chance(17);
    const prefix = kind.name.replaceAll(' ', '-');
    const address = server === undefined ? join(folder, prefix) : server.address(prefix);
    const env = server === undefined || proxy === undefined ? {} : server.env(proxy.endpoint);
    const home = join(folder, `${placeName} ${kind.name}`);
    const local = { store: join(home, 'store.db'), out: join(home, kind.tree ?? 'none') };
    let imported = 0;
    const grow = async (records: number) => {
      await importLines(local.store, lines.slice(imported, imported + records));
      imported += records;
      await build();
    };
    const building = ['build', '--store', local.store, '--out', local.out, '--html', ...SIZES];
    const build = async () => {
      if (kind.tree !== undefined) await palimpsestJson(building);
    };
    let killedHere = 0;
    /** Kills a run of this machine at some time. Whoever runs it again completes it. */
    const killHere = async (args: readonly string[], input = '') => {
      const { signal } = await runAndKill(args, { delay: random() * LONGEST_RUN_MS }, { input });
      if (signal === 'SIGKILL') killedHere += 1;
    };
    /** Kills what comes before a publish, with data of the account. */
    const killBefore = async () => {
      await killHere(['import', '-', '--store', local.store], lines.slice(imported, imported + 4).join('\n'));
      const bio = { observed_at: '2030-01-01T00:00:00Z', screen_name: SECRET, bio: `${killed} times` };
      await killHere(['observe', '-', '--store', local.store, '--allow-future', '--min-accounts', '0%'], JSON.stringify(bio));
      if (kind.tree !== undefined) await killHere(building);
    };
    await grow(200);
    await palimpsestJson(kind.args(address, local), { env });
    let most = 4;
    let killed = 0;
    while (killed < KILLS) {
      if (random() < 0.5) await killBefore();
      await grow(4);
      const done = progress(address);
      const limit = random() * most;
      const { signal } = await runAndKill(kind.args(address, local), { sign: () => done() > limit, delay: random() * 5 }, { env });
      if (signal === 'SIGKILL') killed += 1;
      most = Math.max(2, signal === 'SIGKILL' ? most * 1.1 : Math.min(most, done()) * 0.9);
      // every fourth killed run is completed
      if (random() < 0.25) await palimpsestJson(kind.args(address, local), { env });
    }
    expect(filesWith(SECRET, await objectsAt(address, prefix))).not.toEqual([]);

    const removing = ['remove', SECRET, '--store', local.store];
    for (let run = 0; run < Math.min(KILLS, 5); run += 1) await killHere([...removing, '--yes']);
    await palimpsestJson([...removing, '--yes']);
    const check = [...removing, '--check', address];
    expect(await palimpsestHere([...check, '--json'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"found_places":1'),
    });
    await build();
    const after = [...kind.args(address, local), ...kind.afterRemoval];
    await palimpsestJson(after, { env });
    expect(await palimpsestJson(check, { env })).toMatchObject({ found_places: 0 });
    console.log(`${placeName}, ${kind.name}: ${killed} kills at the target, ${killedHere} before`);
    const objects = await objectsAt(address, prefix);
    expect(filesWith(SECRET, objects)).toEqual([]);
    expect(filesWith(SECRET, filesIn(home))).toEqual([]);
    const wanted = kind.tree === 'history' ? new Set(filesIn(local.out).keys()) : await listedFiles(address, kind, env);
    expect([...objects.keys()].filter((path) => !wanted.has(path) && !kind.isNeeded(path))).toEqual([]);
    expect([...filesIn(home).keys()].filter((path) => !/^(?:store\.db$|history\.zip$|history\/)/.test(path))).toEqual([]);
  });

  /** Returns the data files of the live versions. */
  async function listedFiles(address: string, { tree }: Kind, env: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
    const { results } = await palimpsestJson(tree === undefined ? ['store', 'versions', address] : ['versions', address], { env });
    return new Set((results as { readonly file: string }[]).map(({ file }) => file));
  }
});
