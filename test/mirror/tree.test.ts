import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import { serve } from '../../src/serve/server.ts';
import { edited, freePort, listening, startChild } from '../conformance/child.ts';
import { mainConfiguration, moduleAt, nginx } from '../conformance/subjects/nginx.ts';
import { LARGE } from '../drf/samples.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { mirrored } from './mirrored.ts';

const SIZES = ['--page-size', '7', '--account-page-size', '2'];

interface Upstream {
  readonly proxy: FaultyProxy;
  readonly out: string;
  /** Imports items into the store of the tree, and builds it again. */
  readonly publish: (history: History) => Promise<void>;
  /** Builds a store for the address of the tree; all files. */
  readonly built: (store: string) => Promise<Map<string, Buffer>>;
}

/** A tree that a host serves behind a proxy, which is its address. */
async function publishedTree(start: (out: string, folder: string) => Promise<number>): Promise<Upstream> {
  const folder = temporaryFolder();
  const [store, out] = [join(folder, 'origin.db'), join(folder, 'out')];
  const proxy = await startFaultyProxy(0);
  const build = (from: string, to: string) =>
    palimpsestJson(['build', '--store', from, '--out', to, '--base-url', proxy.baseUrl, ...SIZES]);
  const publish = async (history: History) => {
    const input = toNdjson(history).join('\n');
    await palimpsestJson(['import', '-', '--store', store, '--on-conflict', 'replace'], { input });
    await build(store, out);
  };
  await publish(LARGE);
  proxy.upstream = await start(out, folder);
  const built = async (from: string) => {
    const to = join(temporaryFolder(), 'out');
    await build(from, to);
    return filesIn(to);
  };
  return { proxy, out, publish, built };
}

const hosts = {
  'palimpsest serve': async (out: string) => {
    const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
    onTestFinished(server.close);
    return Number(new URL(server.url).port);
  },
  // the files of the rewrite command answer 404 for build.json and the manifest: the publisher lets them through
  nginx: async (out: string, folder: string) => {
    const extra = ['build.json', 'manifest-sha256.txt'].map((file) => `location = /${file} { root ${out}; }`);
    const files = join(folder, 'nginx');
    await palimpsestJson(['rewrite', 'nginx', '--tree', out, '--out', files]);
    const port = await freePort();
    const site = edited(readFileSync(join(files, 'palimpsest.conf'), 'utf8'), {
      'listen 80;': `listen 127.0.0.1:${port}; ${extra.join(' ')}`,
      '/var/www/palimpsest/out': out,
    });
    const work = temporaryFolder();
    writeFileSync(join(work, 'site.conf'), site);
    writeFileSync(join(work, 'nginx.conf'), `${moduleAt('brotli_static')}${mainConfiguration(work)}`);
    const running = await listening(port, startChild('nginx', ['-e', join(work, 'error.log'), '-p', work, '-c', join(work, 'nginx.conf')]));
    onTestFinished(running.stop);
    return port;
  },
};

const later = (account: Account): History => ({
  records: [],
  accounts: [{ ...account, profile_image_url: 'https://images.example/changed.jpg' }],
});

describe.each(Object.entries(hosts))('a mirror of a tree behind %s', (name, start) => {
  it.skipIf(name === 'nginx' && nginx.needs.skip)(
    'builds the same tree, byte for byte, and then reads only the pages that changed',
    async () => {
      const { proxy, out, publish, built } = await publishedTree(start);
      const store = join(temporaryFolder(), 'store.db');
      expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
      expect(await built(store)).toEqual(filesIn(out));

      proxy.answered.length = 0;
      expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true });
      expect(proxy.answered).toEqual(['200 /build.json']);

      const changed = LARGE.accounts.find(({ data }) => data.length > 0);
      if (changed === undefined) throw new Error('an account with records was expected');
      await publish(later(changed));
      proxy.answered.length = 0;
      expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, pages: { read: 1 } });
      expect(proxy.answered.slice(0, 2)).toEqual(['200 /build.json', '200 /manifest-sha256.txt']);
      expect(proxy.answered.slice(2)).toEqual([expect.stringMatching(/^200 \/rest\/account\//)]);
      expect(await built(store)).toEqual(filesIn(out));

      const [newest] = LARGE.records;
      if (newest === undefined) throw new Error('a record was expected');
      await publish({ records: [{ ...newest, id: newest.id + 1, previous: newest.id, text: 'true' }], accounts: [] });
      proxy.answered.length = 0;
      expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, records: { added: 1 } });
      expect(proxy.answered.length).toBeLessThan(8);
      expect(await built(store)).toEqual(filesIn(out));
    },
  );

  it.skipIf(name === 'nginx' && nginx.needs.skip)(
    'refuses a page whose SHA-256 is not the one of the manifest, and imports the rest',
    async () => {
      const { proxy } = await publishedTree(start);
      proxy.change = (target, body) => (target.endsWith('/rest/data/?page=3') ? body.replace('2015-', '2016-') : body);
      const store = join(temporaryFolder(), 'store.db');
      const result = await mirrored(store, proxy.baseUrl);
      expect(result).toMatchObject({
        isComplete: false,
        missing: { gaps: [{ page: 3, reason: expect.stringContaining('the manifest has') }] },
      });
      proxy.change = (_, body) => body;
      expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true });
    },
  );
});

describe('a mirror of a tree that is published meanwhile', () => {
  it('goes on with the new manifest, and builds the new tree', async () => {
    const { proxy, out, publish, built } = await publishedTree(hosts['palimpsest serve']);
    const [newest] = LARGE.records;
    if (newest === undefined) throw new Error('a record was expected');
    let published = 0;
    proxy.draw = async (target) => {
      if (target.endsWith('/rest/data/?page=5') || target.endsWith('/rest/account/?page=2')) {
        published += 1;
        const id = newest.id + published;
        if (published < 3) await publish({ records: [{ ...newest, id, previous: id - 1 }], accounts: [] });
      }
      return undefined;
    };
    const store = join(temporaryFolder(), 'store.db');
    expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true });
    expect(published).toBeGreaterThan(1);
    expect(await built(store)).toEqual(filesIn(out));
  });
});
