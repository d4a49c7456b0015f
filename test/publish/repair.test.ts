import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SimulatedStore } from '../versions/simulated-store.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { Growing, publishedIn, publishJson } from './growing.ts';
import { filesAt, publishHere } from './in-process.ts';
import { publishBefore, SlowReaders } from './slow-readers.ts';

const folder = folderOfFile();
const page = (number: number) => `rest/data/page/${number}/index.json`;

describe('a repair of an object store', () => {
  const store = new SimulatedStore();
  const target = store.client();
  const replace = (path: string, bytes: string | Buffer) => void store.put(path, Buffer.from(bytes));
  const remove = (path: string) => void store.objects.delete(path);
  const look = () => filesAt(store);
  let history: Growing;
  const send = () => publishHere(target, history.out);
  const repair = (dryRun = false) => publishHere(target, history.out, { repair: true, dryRun });
  const expectRepaired = () => expect(differences(look(), history.files())).toEqual([]);

  beforeAll(async () => {
    history = await Growing.of(folder, 'tree', { records: 100, accounts: 20 });
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
    replace(page(3), 'not a page');
    replace(page(5), first);
    // the correct bytes, but written by another program
    replace(page(7), history.files().get(page(7)) ?? '');
    remove(page(9));
    remove('rest/account/index.json');
    const damaged = look();
    expect(await send()).toMatchObject({ done: { uploads: 0 }, traffic: { requests: 1 } });
    const { plan, steps } = await repair(true);
    expect(plan.deletes).toBe(0);
    for (const path of [page(3), page(5), page(9), 'rest/account/index.json']) {
      expect([...steps()]).toContainEqual(expect.objectContaining({ action: 'upload', path }));
    }
    expect(differences(look(), damaged)).toEqual([]);
    await repair();
    expectRepaired();
    expect(await repair()).toMatchObject({ done: { uploads: 0 }, traffic: { writes: 0 } });
  });

  it.each(['manifest-sha256.txt', 'build.json', 'sort-keys.txt'])('restores %s', async (path) => {
    remove(path);
    expect(await send()).toMatchObject({ traffic: { requests: 1 } });
    await repair();
    expectRepaired();
    replace(path, 'something else');
    await repair();
    expectRepaired();
  });

  it('restores files while it publishes new records', async () => {
    replace(page(3), 'not a page');
    remove('manifest-sha256.txt');
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
    const history = await Growing.of(folder, `restored ${name}`, { records: 100, accounts: 10 });
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
});
