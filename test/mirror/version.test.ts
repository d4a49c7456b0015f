import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spoolPath, versionPath } from '../../src/mirror/unfinished-runs.ts';
import { inFiles } from '../../src/rewrite/files.ts';
import { respond } from '../../src/rewrite/respond.ts';
import type { SiteVersion } from '../../src/versions/site-version.ts';
import { LARGE } from '../drf/samples.ts';
import { temporaryFolder } from '../support/folder.ts';
import { toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { fingerprint, mirrored } from './mirrored.ts';

const SIZES = ['--page-size', '7', '--account-page-size', '2'];

/** A site with versions, on a server that sends its files and answers requests for pages. */
interface Site {
  readonly baseUrl: string;
  /** The store of the site. */
  readonly store: string;
  readonly target: string;
  readonly current: () => SiteVersion;
  readonly publish: () => Promise<void>;
  /** The requests that were answered, with the range if there was one. */
  readonly answered: string[];
  /** Changes what the server does with a path; undefined: nothing. */
  fault: (path: string) => 'no ranges' | 'missing' | 'damaged' | 'cut' | undefined;
}

async function startSite(): Promise<Site> {
  const folder = temporaryFolder();
  const [store, out, zip, target] = [join(folder, 'origin.db'), join(folder, 'out'), join(folder, 'out.zip'), join(folder, 'site')];
  const server = createServer(async ({ method = 'GET', url = '/', headers }, response) => {
    const fault = site.fault(url);
    const send = (status: number, body: Uint8Array | string, more = {}) => {
      site.answered.push([status, url, headers.range].filter((part) => part !== undefined).join(' '));
      response.writeHead(status, { ...more, 'content-length': body.length });
      if (fault === 'cut') response.write(body.slice(0, body.length / 2), () => response.destroy());
      else response.end(body);
    };
    if (fault === 'missing') return send(404, '');
    const isFile = /^\/(head\.json|build\.json|manifest-sha256\.txt|versions\/.+)$/.test(url);
    const path = [join(target, url), join(out, url)].find((one) => isFile && existsSync(one));
    if (path !== undefined) {
      const bytes = readFileSync(path);
      if (fault === 'damaged') bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined || fault === 'no ranges') return send(200, bytes);
      return send(206, bytes.subarray(Number(from), Number(to) + 1), { 'Content-Range': `bytes ${from}-${to}/${bytes.length}` });
    }
    const asked = { method, url: `http://tree${url}`, headers: new Headers() };
    const source = inFiles(async (file) => (existsSync(join(out, file)) ? new Uint8Array(readFileSync(join(out, file))) : undefined), []);
    const answer = await respond(asked, '', source, () => {});
    send(answer.status, Buffer.from(await answer.arrayBuffer()), Object.fromEntries(answer.headers));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const site: Site = {
    baseUrl,
    store,
    target,
    current: () => JSON.parse(readFileSync(join(target, 'head.json'), 'utf8')).versions.at(-1),
    publish: async () => {
      for (const to of [out, zip]) await palimpsestJson(['build', '--store', store, '--out', to, '--base-url', baseUrl, ...SIZES]);
      await palimpsestJson(['publish', target, '--out', zip, '--store', store, '--allow-loopback']);
    },
    answered: [],
    fault: () => undefined,
  };
  await palimpsestJson(['import', '-', '--store', store], { input: toNdjson(LARGE).join('\n') });
  await site.publish();
  return site;
}

const newStore = () => join(temporaryFolder(), 'store.db');
const isPage = (line: string) => line.includes('/rest/');

describe('a mirror of a site with versions', () => {
  it('fetches one ZIP instead of the pages, and gives the same store', async () => {
    const site = await startSite();
    const store = newStore();
    const { file, bytes } = site.current();
    expect(await mirrored(store, site.baseUrl)).toMatchObject({
      isComplete: true,
      isTree: true,
      records: { added: LARGE.records.length },
      requests: { all: 2 },
    });
    expect(site.answered).toEqual(['200 /head.json', `206 /${file} bytes=0-${bytes - 1}`]);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
    expect(readdirSync(dirname(store)).filter((name) => name.includes('version'))).toEqual([]);

    // a later run reads what changed, page by page
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /build.json']);
  });

  it('finds with --full what the site no longer has', async () => {
    const site = await startSite();
    const store = newStore();
    await mirrored(store, site.baseUrl);
    const name = LARGE.accounts.find(({ data }) => data.length > 0)?.screen_name ?? '';
    await palimpsestJson(['remove', name, '--store', site.store, '--yes']);
    await site.publish();
    site.answered.length = 0;
    const result = await mirrored(store, site.baseUrl, { isFull: true, maxDelete: { share: 1 } });
    expect(result).toMatchObject({ isComplete: true, gone: { account: [name] }, deleted: { accounts: 1 } });
    expect(site.answered.filter(isPage)).toEqual([]);
    const { records, accounts } = await palimpsestJson(['build', '--store', store, '--out', join(temporaryFolder(), 'out')]).then(
      ({ build }) => JSON.parse(JSON.stringify(build)),
    );
    expect({ records, accounts }).toEqual({ records: site.current().records, accounts: site.current().accounts });
  });

  it('continues an interrupted download', async () => {
    const site = await startSite();
    const store = newStore();
    const { file, sha256, bytes } = site.current();
    const half = Math.floor(bytes / 2);
    writeFileSync(versionPath(spoolPath(store, site.baseUrl), sha256), readFileSync(join(site.target, file)).subarray(0, half));
    writeFileSync(versionPath(spoolPath(store, site.baseUrl), '0123456789abcdef'), 'another version');
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /head.json', `206 /${file} bytes=${half}-${bytes - 1}`]);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
    expect(readdirSync(dirname(store)).filter((name) => name.includes('version'))).toEqual([]);
  });

  it('takes the whole file from a server without ranges, and requests it again if the connection breaks', async () => {
    const site = await startSite();
    const store = newStore();
    let cuts = 2;
    site.fault = (path) => {
      if (!path.startsWith('/versions/')) return undefined;
      cuts -= 1;
      return cuts >= 0 ? 'cut' : 'no ranges';
    };
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, requests: { retries: 2 } });
    expect(site.answered.filter(isPage)).toEqual([]);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
  });

  it('reads head.json again if the version is deleted meanwhile', async () => {
    const site = await startSite();
    const store = newStore();
    const { file } = site.current();
    site.fault = (path) => (path === `/${file}` && site.answered.length === 1 ? 'missing' : undefined);
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '200 /head.json',
      `404 /${file}`,
      '200 /head.json',
      `206 /${file}`,
    ]);
  });

  it.each(['damaged', 'missing'] as const)('reads the pages if the version is %s', async (fault) => {
    const site = await startSite();
    const store = newStore();
    site.fault = (path) => (path.startsWith('/versions/') ? fault : undefined);
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
    expect(site.answered.filter(isPage).length).toBeGreaterThan(9);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
    expect(readdirSync(dirname(store)).filter((name) => name.includes('version'))).toEqual([]);
  });

  it('reads the pages for a WARC, which has all exchanges', async () => {
    const site = await startSite();
    expect(await mirrored(newStore(), site.baseUrl, { record: async () => {} })).toMatchObject({ isComplete: true });
    expect(site.answered).not.toContain('200 /head.json');
    expect(site.answered.filter(isPage).length).toBeGreaterThan(9);
  });

  it('keeps the version if it is stopped, and does not fetch it again; a removal deletes it', async () => {
    const site = await startSite();
    const store = newStore();
    const controller = new AbortController();
    const isStopped = mirrored(store, site.baseUrl, {
      signal: controller.signal,
      onProgress: (phase) => {
        if (phase === 'import') controller.abort();
      },
    });
    await expect(isStopped).rejects.toMatchObject({ code: 'stopped' });
    const kept = () => readdirSync(dirname(store)).filter((name) => name.includes('-version-'));
    expect(kept()).toHaveLength(1);
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /head.json']);
    expect(kept()).toEqual([]);

    writeFileSync(versionPath(spoolPath(store, site.baseUrl), site.current().sha256), 'a part');
    const name = LARGE.accounts[0]?.screen_name ?? '';
    expect(await palimpsestJson(['remove', name, '--store', store, '--yes'])).toMatchObject({ unfinished_mirrors: [expect.anything()] });
    expect(kept()).toEqual([]);
  });
});
