import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { requireHead } from '../../src/composed/head.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { installed } from './child.ts';
import type { Running } from './subject.ts';
import { startCounted } from './subjects/cloudflare-workers.ts';

/** The folder of a composed tree of real size; by default the tests build a small one. */
const GIVEN = process.env['PALIMPSEST_TEST_COMPOSED_TREE'];

/** The number of pages that are read of each collection. */
const PAGES = 200;

const LIMITS = { data: 4, account: 12 } as const;

const miniflare = installed('miniflare');

describe.skipIf(miniflare.skip)(`a worker in front of a bucket, without a cache (${miniflare.reason || 'workerd'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-reads-'));
  let tree = '';
  let running: Running;

  beforeAll(async () => {
    tree = GIVEN ?? (await smallTree(folder));
    const files = join(folder, 'files');
    await palimpsestJson(['rewrite', 'cloudflare-workers', '--layout', 'composed', '--out', tree, '--host-files', files]);
    const work = join(folder, 'empty');
    mkdirSync(work);
    running = await startCounted({ files, tree, work });
  });
  afterAll(async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['data', 'account'] as const)(
    'composes each page of %s with few reads',
    async (collection) => {
      const { page_size, account_page_size, ...head } = requireHead(tree);
      const last = Math.max(1, Math.ceil(head[collection].count / (collection === 'data' ? page_size : account_page_size)));
      const pages = Array.from({ length: Math.min(last, PAGES) }, (_, at) => 1 + Math.round((at * (last - 1)) / Math.max(1, PAGES - 1)));
      const path = `${new URL(head.base_url).pathname.replace(/\/$/, '')}/rest/${collection}/`;
      const reads: number[] = [];
      for (const page of [1, last, ...pages]) {
        const answer = await running.ask(`${path}?page=${page}`);
        expect(answer.status).toBe(200);
        reads.push(Number(answer.headers['x-reads']));
      }
      // the head and at least one leaf
      expect(Math.min(...reads)).toBeGreaterThanOrEqual(2);
      expect(Math.max(...reads)).toBeLessThanOrEqual(LIMITS[collection]);
      if (GIVEN !== undefined) console.log(`${collection}: at most ${Math.max(...reads)} reads, ${reads.length} pages of ${last}`);
    },
    600_000,
  );

  it('reads two more chunks for a generation by its number, and at most three more for one by a time', async () => {
    const path = `${new URL(requireHead(tree).base_url).pathname.replace(/\/$/, '')}/rest/data/?page=2`;
    const readsOf = async (query: string) => Number((await running.ask(path + query)).headers['x-reads']);
    const present = await readsOf('');
    expect(await readsOf('&as_of=1')).toBe(present + 2);
    expect(await readsOf('&as_of=2099-01-01')).toBeLessThanOrEqual(present + 3);
    if (GIVEN === undefined) expect(await readsOf('&as_of=2026-11-21')).toBe(present + 3);
  });

  it('answers 304 with the one read of the head', async () => {
    const path = `${new URL(requireHead(tree).base_url).pathname.replace(/\/$/, '')}/rest/data/?page=2`;
    const { headers } = await running.ask(path);
    const again = await running.ask(path, 'GET', { 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.headers['x-reads']]).toEqual([304, '1']);
  });
});

/** Builds a tree with several leaves and two generations. */
async function smallTree(folder: string): Promise<string> {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  for (const [records, time] of [[440, '2026-11-20T03:00:00Z'] as const, [450, '2026-11-22T03:00:00Z'] as const]) {
    await importHistory(store, goodHistory(records));
    await buildComposed(store, { out, site: { ...SITE, page_size: 100 }, time: new Date(time) });
  }
  return out;
}
