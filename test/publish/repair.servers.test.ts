import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, pagesIn } from '../whole/trees.ts';
import { Growing, publishJson } from './growing.ts';
import { publishBefore, SlowReaders } from './slow-readers.ts';
import { CEPH, fetchAll, rclone, S3_KEYS, type Store, startCeph } from './stores.ts';

const folder = folderOfFile();
const page = (number: number) => `rest/data/page/${number}/index.json`;

/** Changes and reads the files of a target without palimpsest. */
interface Hand {
  readonly replace: (path: string, bytes: string | Buffer) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly look: () => Promise<ReturnType<typeof pagesIn>>;
}

interface Place {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hand: Hand;
  readonly store?: Store;
}

async function folderPlace(): Promise<Place> {
  const site = join(folder, 'site');
  return {
    address: site,
    env: {},
    hand: {
      replace: async (path, bytes) => writeFileSync(join(site, path), bytes),
      remove: async (path) => rmSync(join(site, path)),
      look: async () => pagesIn(site),
    },
  };
}

async function cephPlace(): Promise<Place> {
  const store = await startCeph();
  const { S3Client, PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3');
  const credentials = { accessKeyId: S3_KEYS['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: S3_KEYS['AWS_SECRET_ACCESS_KEY'] ?? '' };
  const client = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const object = (path: string) => ({ Bucket: 'history', Key: `repaired/${path}` });
  return {
    address: CEPH.address('repaired'),
    env: CEPH.env(store.endpoint),
    store,
    hand: {
      replace: async (path, bytes) => {
        await client.send(new PutObjectCommand({ ...object(path), Body: bytes, ContentType: 'application/json' }));
      },
      remove: async (path) => void (await client.send(new DeleteObjectCommand(object(path)))),
      look: async () => {
        await fetchAll(CEPH, store.endpoint, 'repaired', join(folder, 'fetched'));
        return pagesIn(join(folder, 'fetched'));
      },
    },
  };
}

describe.each([['a folder', folderPlace, false] as const, ['Ceph', cephPlace, CEPH.requirement.skip || rclone.skip] as const])(
  '--repair at %s',
  (name, start, skip) => {
    let place: Place;
    let history: Growing;
    const publish = (more: readonly string[] = []) => publishJson(['publish', place.address, '--out', history.out, ...more], place.env);
    const found = async () => {
      const files = new Map(await place.hand.look());
      expect(files.delete('publish.json')).toBe(true);
      return files;
    };

    beforeAll(async () => {
      if (skip) return;
      [place, history] = await Promise.all([start(), Growing.of(folder, `tree for ${name}`, { records: 200, accounts: 20 })]);
      await publish();
    });
    afterAll(() => place?.store?.stop());

    it.skipIf(skip)('writes nothing if nothing is damaged, and checks every file', async () => {
      const { done, requests } = await publish(['--repair']);
      expect(done).toEqual({ uploads: 0, overlaps: 0, deletes: 0 });
      // each file of the tree and the state
      expect(requests).toMatchObject({ reads: history.files().size + 1, writes: 0 });
    });

    it.skipIf(skip)('restores files that were replaced or removed, which a publish without --repair does not detect', async () => {
      const first = history.files().get(page(1)) ?? '';
      await place.hand.replace(page(3), 'not a page');
      await place.hand.replace(page(5), first);
      // the correct bytes, but written by another program
      await place.hand.replace(page(7), history.files().get(page(7)) ?? '');
      await place.hand.remove(page(9));
      await place.hand.remove('rest/account/index.json');
      const damaged = await found();
      expect(await publish()).toMatchObject({ done: { uploads: 0 }, requests: { all: 1 } });
      const { plan, steps } = await publish(['--repair', '--plan']);
      expect(plan).toMatchObject({ deletes: 0 });
      for (const path of [page(3), page(5), page(9), 'rest/account/index.json']) {
        expect(steps).toContainEqual(expect.objectContaining({ action: 'upload', path }));
      }
      expect(differences(await found(), damaged)).toEqual([]);
      await publish(['--repair']);
      expect(differences(await found(), history.files())).toEqual([]);
      expect(await publish(['--repair'])).toMatchObject({ done: { uploads: 0 }, requests: { writes: 0 } });
    });

    it.skipIf(skip).each(['manifest-sha256.txt', 'build.json', 'sort-keys.txt'])('restores %s', async (path) => {
      await place.hand.remove(path);
      expect(await publish()).toMatchObject({ requests: { all: 1 } });
      await publish(['--repair']);
      expect(differences(await found(), history.files())).toEqual([]);
      await place.hand.replace(path, 'something else');
      await publish(['--repair']);
      expect(differences(await found(), history.files())).toEqual([]);
    });

    it.skipIf(skip)('restores files while it publishes new records', async () => {
      await place.hand.replace(page(3), 'not a page');
      await place.hand.remove('manifest-sha256.txt');
      await history.grow(13);
      await publish(['--repair']);
      expect(differences(await found(), history.files())).toEqual([]);
    });
  },
);

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
    const files = new Map(pagesIn(site));
    files.delete('publish.json');
    expect(differences(files, history.files())).toEqual([]);
  });

  it('completes a killed run and replaces damaged files', async () => {
    const history = await Growing.of(folder, 'killed', { records: 300, accounts: 20 });
    const site = join(folder, 'killed site');
    await publishJson(['publish', site, '--out', history.out]);
    const state = JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'));
    writeFileSync(join(site, 'publish.json'), JSON.stringify({ ...state, state: 'publishing' }));
    copyFileSync(join(site, page(1)), join(site, page(4)));
    const { code, stdout } = await palimpsest(['publish', site, '--out', history.out, '--repair', '--json']);
    expect({ code, resumed: JSON.parse(stdout).resumed }).toEqual({ code: 0, resumed: true });
    expect(readFileSync(join(site, page(4)))).toEqual(history.files().get(page(4)));
  });
});
