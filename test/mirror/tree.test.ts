import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/serve/server.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { setIncomplete } from '../../src/store/mirror-state.ts';
import { Store } from '../../src/store/store.ts';
import { LARGE } from '../drf/samples.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import type { History } from '../support/histories.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { mirrored } from './mirrored.ts';
import { type Site, startSite } from './site.ts';

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('an item was expected');
  return item;
}

const newest = first(LARGE.records);
const newRecord = (more = 1): History => ({ records: [{ ...newest, id: newest.id + more, previous: newest.id + more - 1 }], accounts: [] });
const changed = { ...first(LARGE.accounts.filter(({ data }) => data.length > 0)), profile_image_url: 'https://images.example/changed.jpg' };

describe('a mirror of a tree', () => {
  let site: Site;
  let store: string;
  beforeEach(async () => {
    site = await startSite(temporaryFolder());
    onTestFinished(site.stop);
    store = join(temporaryFolder(), 'store.db');
  });

  it('builds the same tree, byte for byte, and then reads only changed pages', async () => {
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));

    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(site.answered).toEqual(['200 /build.json']);

    await site.build({ records: [], accounts: [changed] });
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, pages: { read: 1 } });
    expect(site.answered).toEqual(['200 /build.json', '200 /manifest-sha256.txt', expect.stringMatching(/^200 \/rest\/account\//)]);
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));

    await site.build(newRecord());
    site.answered.length = 0;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, records: { added: 1 } });
    expect(site.answered.length).toBeLessThan(8);
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
  });

  it('knows what the store of the tree lacks, until a later tree lacks nothing', async () => {
    const amounts = (records: number) => ({ records, accounts: 0 });
    const report = {
      base_url: 'https://service.example',
      finished_at: '2026-01-01T00:00:00Z',
      request_count: 1,
      counted: amounts(9),
      missing: amounts(2),
    };
    const setReport = (value: typeof report | undefined) => {
      const database = new Connection(site.store);
      setIncomplete(database, report.base_url, value);
      database.close();
    };
    const known = () => {
      const opened = Store.open(store);
      onTestFinished(() => opened.close());
      return opened.incompleteMirrors();
    };
    setReport(report);
    await site.build({ records: [], accounts: [changed] });
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isRead: true, isComplete: false, inherited: [report] });
    const { code, stderr } = await palimpsestHere(['mirror', site.baseUrl, '--store', store, '--delay', '0s']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('lacks at least 2 of 9 records')]);
    expect(known()).toEqual([report]);
    setReport(undefined);
    await site.build(newRecord());
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, inherited: [] });
    expect(known()).toEqual([]);
  });

  it('rejects a page if its SHA-256 differs from the manifest, and has its records from the accounts', async () => {
    site.fault = (path) => (path.endsWith('/rest/data/?page=3') ? 'damaged' : undefined);
    const unread = [{ url: `${site.baseUrl}/rest/data/?page=3`, reason: expect.stringContaining('the manifest has') }];
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, unread });
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
    site.fault = () => undefined;
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, unread: [] });
  });

  it('reads the pages that the manifest shows as changed, also if a cache answers 304 for old ETags', async () => {
    site.fault = () => 'unchanged';
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, isTree: true });
    await site.build({ records: [], accounts: [changed] });
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true, pages: { read: 1, unchanged: 0 } });
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
  });

  it('continues with the new manifest if the tree is published meanwhile, and builds the new tree', async () => {
    let published = 0;
    site.fault = async (path) => {
      if (path.endsWith('/rest/data/?page=5') || path.endsWith('/rest/account/?page=2')) {
        published += 1;
        if (published < 3) await site.build(newRecord(published));
      }
      return undefined;
    };
    expect(await mirrored(store, site.baseUrl)).toMatchObject({ isComplete: true });
    expect(published).toBeGreaterThan(1);
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
  });

  it('reads the pages of palimpsest serve without a manifest, builds the same tree, and then reads only new pages', async () => {
    const server = await serve({ out: site.out, host: '127.0.0.1', port: 0, rebase: true });
    onTestFinished(server.close);
    expect(await mirrored(store, server.url)).toMatchObject({ isComplete: true, isTree: false });
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
    await site.build(newRecord());
    const { records, requests } = await mirrored(store, server.url);
    expect([records.added, requests.all]).toEqual([1, expect.any(Number)]);
    expect(requests.all).toBeLessThan(8);
    expect(await site.builtFrom(store)).toEqual(filesIn(site.out));
  });
});
