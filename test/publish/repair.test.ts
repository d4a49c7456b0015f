import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { SimulatedStore } from '../versions/simulated-store.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files } from '../whole/trees.ts';
import { Growing, publishedIn, publishJson } from './growing.ts';
import { filesAt, publishHere } from './in-process.ts';
import { publishBefore, SlowReaders } from './slow-readers.ts';

const folder = folderOfFile();
const page = (number: number) => `rest/data/page/${number}/index.json`;

/** A target whose files can be changed and read without palimpsest. */
interface Place {
  readonly target: Target;
  readonly replace: (path: string, bytes: string | Buffer) => void;
  readonly remove: (path: string) => void;
  readonly look: () => Files;
}

async function folderPlace(): Promise<Place> {
  const site = join(folder, 'site');
  return {
    target: await openTarget(site, '', { connections: 32, secrets: {} }),
    replace: (path, bytes) => writeFileSync(join(site, path), bytes),
    remove: (path) => rmSync(join(site, path)),
    look: () => publishedIn(site),
  };
}

async function storePlace(): Promise<Place> {
  const store = new SimulatedStore();
  return {
    target: store.client(async () => 'done'),
    replace: (path, bytes) => void store.put(path, Buffer.from(bytes)),
    remove: (path) => void store.objects.delete(path),
    look: () => filesAt(store),
  };
}

describe.each([
  ['a folder', folderPlace],
  ['an object store', storePlace],
] as const)('a repair of %s', (name, start) => {
  let place: Place;
  let history: Growing;
  const send = () => publishHere(place.target, history.out);
  const repair = (dryRun = false) => publishHere(place.target, history.out, { repair: true, dryRun });
  const expectRepaired = () => expect(differences(place.look(), history.files())).toEqual([]);

  beforeAll(async () => {
    [place, history] = await Promise.all([start(), Growing.of(folder, `tree for ${name}`, { records: 200, accounts: 20 })]);
    await send();
  });

  it('writes nothing if nothing is damaged, and checks every file', async () => {
    const { done, traffic } = await repair();
    expect(done).toEqual({ uploads: 0, overlaps: 0, deletes: 0 });
    // each file of the tree and the state
    expect(traffic).toMatchObject({ reads: history.files().size + 1, writes: 0 });
  });

  it('restores files that were replaced or removed, which a publish without --repair does not detect', async () => {
    const first = history.files().get(page(1)) ?? '';
    place.replace(page(3), 'not a page');
    place.replace(page(5), first);
    // the correct bytes, but written by another program
    place.replace(page(7), history.files().get(page(7)) ?? '');
    place.remove(page(9));
    place.remove('rest/account/index.json');
    const damaged = place.look();
    expect(await send()).toMatchObject({ done: { uploads: 0 }, traffic: { requests: 1 } });
    const { plan, steps } = await repair(true);
    expect(plan.deletes).toBe(0);
    for (const path of [page(3), page(5), page(9), 'rest/account/index.json']) {
      expect([...steps()]).toContainEqual(expect.objectContaining({ action: 'upload', path }));
    }
    expect(differences(place.look(), damaged)).toEqual([]);
    await repair();
    expectRepaired();
    expect(await repair()).toMatchObject({ done: { uploads: 0 }, traffic: { writes: 0 } });
  });

  it.each(['manifest-sha256.txt', 'build.json', 'sort-keys.txt'])('restores %s', async (path) => {
    place.remove(path);
    expect(await send()).toMatchObject({ traffic: { requests: 1 } });
    await repair();
    expectRepaired();
    place.replace(path, 'something else');
    await repair();
    expectRepaired();
  });

  it('restores files while it publishes new records', async () => {
    place.replace(page(3), 'not a page');
    place.remove('manifest-sha256.txt');
    await history.grow(13);
    await repair();
    expectRepaired();
  });
});

describe('a repair', () => {
  it.each([
    ['with this tree', 0],
    ['with a newer tree', 7],
  ])('lets no reader miss a record if the pages of an older tree were restored, %s', async (name, more) => {
    const history = await Growing.of(folder, `restored ${name}`, { records: 300, accounts: 20 });
    const [site, backup] = [join(folder, `restored ${name} site`), join(folder, `backup ${name}`)];
    await publishJson(['publish', site, '--out', history.out]);
    cpSync(join(site, 'rest'), backup, { recursive: true });
    await history.grow(33);
    await publishJson(['publish', site, '--out', history.out]);
    cpSync(backup, join(site, 'rest'), { recursive: true });
    if (more > 0) await history.grow(more);
    const readers = new SlowReaders(site);
    await publishBefore(readers, site, history.out, { repair: true });
    expect(readers.missed()).toEqual([]);
    expect(differences(publishedIn(site), history.files())).toEqual([]);
  });

  it('completes a killed run and replaces damaged files', async () => {
    const history = await Growing.of(folder, 'killed', { records: 300, accounts: 20 });
    const site = join(folder, 'killed site');
    await publishJson(['publish', site, '--out', history.out]);
    const state = JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'));
    writeFileSync(join(site, 'publish.json'), JSON.stringify({ ...state, state: 'publishing' }));
    copyFileSync(join(site, page(1)), join(site, page(4)));
    expect(await publishJson(['publish', site, '--out', history.out, '--repair'])).toMatchObject({ resumed: true });
    expect(readFileSync(join(site, page(4)))).toEqual(history.files().get(page(4)));
  });
});
