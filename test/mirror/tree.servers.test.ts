import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import { inFiles } from '../../src/rewrite/files.ts';
import { respond } from '../../src/rewrite/respond.ts';
import { serve } from '../../src/serve/server.ts';
import { freePort, listening } from '../conformance/child.ts';
import { nginx } from '../conformance/subjects/nginx.ts';
import { startDebianNginx } from '../conformance/subjects/nginx-machine.ts';
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

/** A tree on a host behind a proxy. The base URL is the proxy's. */
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

async function startServe(out: string): Promise<number> {
  const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
  onTestFinished(server.close);
  return Number(new URL(server.url).port);
}

/** The files that tell a mirror that a service is a tree. */
const OF_TREE = ['build.json', 'manifest-sha256.txt'];

function readIfThere(path: string): Buffer<ArrayBuffer> | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Object storage behind the rewrite function: it serves the files of the tree as such, too. */
function startObjectStorage(out: string): Promise<number> {
  return listen(async ({ method = 'GET', url = '/' }, response) => {
    const file = OF_TREE.find((name) => url === `/${name}`);
    if (file !== undefined) return void response.end(readFileSync(join(out, file)));
    const asked = { method, url: `http://tree${url}`, headers: new Headers() };
    const answer = await respond(
      asked,
      '',
      inFiles(async (path) => readIfThere(join(out, path)), []),
      console.error,
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
}

/** Object storage behind a cache that takes every version that a client has for the newest one. */
async function startStaleCache(out: string): Promise<number> {
  const storage = await startObjectStorage(out);
  return await listen(async ({ url = '/', headers: { 'if-none-match': etag } }, response) => {
    if (etag !== undefined) return void response.writeHead(304, { ETag: etag }).end();
    const answer = await fetch(`http://127.0.0.1:${storage}${url}`);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
}

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}

/** nginx with the files of the rewrite command, and the locations of docs/mirror.md for the two files of the tree. */
async function startNginx(out: string, folder: string): Promise<number> {
  const files = join(folder, 'nginx');
  await palimpsestJson(['rewrite', 'nginx', '--out', out, '--host-files', files]);
  const port = await freePort();
  const locations = OF_TREE.map((name) => `location = /${name} { root ${out}; }`).join(' ');
  // the server runs as another user: the folder of its work is made readable, and with it the tree
  const changes = { 'listen 80': `${locations} listen 127.0.0.1:${port}` };
  const child = startDebianNginx({ files, tree: out, work: folder }, nginx.host.steps, port, changes);
  onTestFinished((await listening(port, child)).stop);
  return port;
}

/** Hosts that serve the manifest. */
const hosts = { 'object storage': startObjectStorage, nginx: startNginx };

const later = (account: Account): History => ({
  records: [],
  accounts: [{ ...account, profile_image_url: 'https://images.example/changed.jpg' }],
});

describe('a mirror of palimpsest serve', () => {
  it('reads the pages without a manifest, builds the same tree, and then reads only new pages', async () => {
    const { proxy, out, publish, built } = await publishedTree(startServe);
    const store = join(temporaryFolder(), 'store.db');
    expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, isTree: false });
    expect(proxy.answered.slice(0, 2)).toEqual(['404 /head.json', '404 /build.json']);
    expect(await built(store)).toEqual(filesIn(out));

    const [newest] = LARGE.records;
    if (newest === undefined) throw new Error('a record was expected');
    await publish({ records: [{ ...newest, id: newest.id + 1, previous: newest.id, text: 'true' }], accounts: [] });
    proxy.answered.length = 0;
    expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, records: { added: 1 } });
    expect(proxy.answered.length).toBeLessThan(8);
    expect(await built(store)).toEqual(filesIn(out));
  });
});

describe.each(Object.entries(hosts))('a mirror of a tree on %s with its manifest', (name, start) => {
  it.skipIf(name === 'nginx' && nginx.needs.skip)('builds the same tree, byte for byte, and then reads only changed pages', async () => {
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
  });

  it.skipIf(name === 'nginx' && nginx.needs.skip)(
    'rejects a page if its SHA-256 differs from the manifest, and imports the rest',
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

describe('a mirror of a tree behind a cache that answers 304 for old ETags', () => {
  it('reads the pages that the manifest shows as changed', async () => {
    const { proxy, out, publish, built } = await publishedTree(startStaleCache);
    const store = join(temporaryFolder(), 'store.db');
    expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
    const changed = LARGE.accounts.find(({ data }) => data.length > 0);
    if (changed === undefined) throw new Error('an account with records was expected');
    await publish(later(changed));
    expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, pages: { read: 1, unchanged: 0 } });
    expect(await built(store)).toEqual(filesIn(out));
  });
});

describe('a mirror of a tree that is published meanwhile', () => {
  it('continues with the new manifest, and builds the new tree', async () => {
    const { proxy, out, publish, built } = await publishedTree(startObjectStorage);
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
