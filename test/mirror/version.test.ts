import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { spoolPath, versionPath } from '../../src/mirror/spool/unfinished-runs.ts';
import { EMPTY, LARGE } from '../drf/samples.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { fingerprint, mirrored } from './mirrored.ts';
import { type Site, startSite } from './site.ts';

const newStore = () => join(temporaryFolder(), 'store.db');
const isPage = (line: string) => line.includes('/rest/');

const versionsBeside = (store: string) => readdirSync(dirname(store)).filter((name) => name.includes('version'));

describe('a mirror of a site with versions', () => {
  let site: Site;
  const folder = folderOfFile();
  beforeAll(async () => {
    site = await startSite(folder);
    await site.publish();
  });
  afterAll(() => site.stop());
  beforeEach(() => {
    site.answered.length = 0;
    site.fault = () => undefined;
  });

  it('fetches one ZIP instead of the pages, and gives the same store', async () => {
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
    expect(versionsBeside(store)).toEqual([]);

    // a later run reads what changed, page by page
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /build.json']);
  });

  it('finds with --full what the site no longer has', async () => {
    const changed = await startSite(temporaryFolder());
    onTestFinished(changed.stop);
    await changed.publish();
    const store = newStore();
    await mirrored(store, changed.baseUrl);
    const name = LARGE.accounts.find(({ data }) => data.length > 0)?.screen_name ?? '';
    await palimpsestJson(['remove', name, '--store', changed.store, '--yes']);
    await changed.build(EMPTY);
    await changed.publish();
    changed.answered.length = 0;
    const result = await mirrored(store, changed.baseUrl, { isFull: true, maxDelete: { share: 1 } });
    expect(result).toMatchObject({ isComplete: true, gone: { account: [name] }, deleted: { accounts: 1 } });
    expect(changed.answered.filter(isPage)).toEqual([]);
    const { records, accounts } = changed.current();
    expect(await palimpsestJson(['store', 'check', '--store', store])).toMatchObject({ records, accounts });
  });

  it('continues an interrupted download', async () => {
    const store = newStore();
    const { file, sha256, bytes } = site.current();
    const half = Math.floor(bytes / 2);
    writeFileSync(versionPath(spoolPath(store, site.baseUrl), sha256), readFileSync(join(site.target, file)).subarray(0, half));
    writeFileSync(versionPath(spoolPath(store, site.baseUrl), '0123456789abcdef'), 'another version');
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /head.json', `206 /${file} bytes=${half}-${bytes - 1}`]);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
    expect(versionsBeside(store)).toEqual([]);
  });

  it('takes the whole file from a server without ranges, and requests it again if the connection breaks', async () => {
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
    const store = newStore();
    site.fault = (path) => (path.startsWith('/versions/') ? fault : undefined);
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
    expect(site.answered.filter(isPage).length).toBeGreaterThan(9);
    expect(fingerprint(store)).toBe(fingerprint(site.store));
    expect(versionsBeside(store)).toEqual([]);
  });

  it('reads the pages for a WARC, which has all exchanges', async () => {
    expect(await mirrored(newStore(), site.baseUrl, { record: async () => {} })).toMatchObject({ isComplete: true });
    expect(site.answered).not.toContain('200 /head.json');
    expect(site.answered.filter(isPage).length).toBeGreaterThan(9);
  });

  it('keeps the version if it is stopped, and does not fetch it again; a removal deletes it', async () => {
    const store = newStore();
    const controller = new AbortController();
    const isStopped = mirrored(store, site.baseUrl, {
      signal: controller.signal,
      onProgress: (phase) => {
        if (phase === 'import') controller.abort();
      },
    });
    await expect(isStopped).rejects.toMatchObject({ code: 'stopped' });
    expect(versionsBeside(store)).toHaveLength(1);
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /head.json']);
    expect(versionsBeside(store)).toEqual([]);

    writeFileSync(versionPath(spoolPath(store, site.baseUrl), site.current().sha256), 'a part');
    const name = LARGE.accounts[0]?.screen_name ?? '';
    expect(await palimpsestJson(['remove', name, '--store', store, '--yes'])).toMatchObject({ unfinished_mirrors: [expect.anything()] });
    expect(versionsBeside(store)).toEqual([]);
  });
});
