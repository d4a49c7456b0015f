import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { IncompleteMirror } from '../../src/contract/files/incomplete-mirror.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord, emptyAccount } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const BASE = 'https://history.example';
const FEED = [6, 5, 4, 3, 2, 1].map((id) => bioRecord(id, { account: id % 2 === 0 ? 'jack' : 'ann' }));
const ACCOUNTS = ['jack', 'ann'].map((name) => emptyAccount(name));

/** Returns the lines of the pages of a collection. */
function pagesOf(collection: 'data' | 'account', items: readonly object[], size: number): string[] {
  const last = items.length / size;
  const url = (page: number) => (page < 1 || page > last ? null : `${BASE}/rest/${collection}/?page=${page}`);
  return Array.from({ length: last }, (_, index) => {
    const results = items.slice(index * size, (index + 1) * size);
    return JSON.stringify({ count: items.length, next: url(index + 2), previous: url(index), results });
  });
}

const [feed1, feed2, feed3] = pagesOf('data', FEED, 2);
const [first, second] = pagesOf('account', ACCOUNTS, 1);
const GAPS = [feed1, feed3, first];
const ALL = [feed1, feed2, feed3, first, second];
const OLDER = [...pagesOf('data', FEED.slice(4), 1), first, second];
const OTHERS = [99, 98, 97].map((id) => JSON.stringify(bioRecord(id)));

/** The same page with an invalid record. */
function withBroken(page = ''): string {
  const { results, ...rest } = JSON.parse(page);
  return JSON.stringify({ ...rest, results: [results[0], { ...results[1], text: 5 }] });
}

type Lines = readonly (string | undefined)[];

/** Imports these lines one after the other, and returns the reports of the store. */
async function reportsAfter(imports: readonly Lines[], ...options: string[]): Promise<readonly IncompleteMirror[]> {
  const path = join(temporaryFolder(), 'store.db');
  for (const lines of imports) {
    expect(await palimpsestHere(['import', '-', '--store', path, ...options], { input: lines.join('\n') })).toMatchObject({ code: 0 });
  }
  const store = Store.open(path);
  try {
    return store.incompleteMirrors();
  } finally {
    store.close();
  }
}

describe('the report about saved pages that are missing', () => {
  const counted = { records: 6, accounts: 2 };
  it.each<[string, readonly Lines[], object | undefined]>([
    ['is in the store', [GAPS], { counted, missing: { records: 2, accounts: 1 } }],
    ['has what the store still lacks', [GAPS, [feed2]], { counted, missing: { records: 0, accounts: 1 } }],
    ['ends with the missing pages', [GAPS, [feed2, second]], undefined],
    ['ends with the missing pages, in the other order', [[feed2, second], GAPS], undefined],
    ['ends with the missing items without their pages', [GAPS, [...FEED, ...ACCOUNTS].map((item) => JSON.stringify(item))], undefined],
    ['ends with all pages', [OTHERS, GAPS, ALL], undefined],
    ['stays with all pages of an older state', [GAPS, OLDER], { counted, missing: { records: 2, accounts: 0 } }],
    ['is missing if the store has all items of the pages', [ALL, GAPS], undefined],
    ['stays after the import of other items', [GAPS, OTHERS], { counted, missing: { records: 2, accounts: 1 } }],
    [
      'has no number of records if the store has as many of other sources',
      [OTHERS, GAPS],
      { counted, missing: { records: 0, accounts: 1 } },
    ],
    ['is missing without an address', [[feed1?.replaceAll('/rest/', '/v1/')]], undefined],
  ])('%s', async (_, imports, expected) => {
    const report = expected && { base_url: BASE, request_count: 0, finished_at: expect.stringMatching(/^\d.*Z$/), ...expected };
    expect(await reportsAfter(imports)).toEqual(report === undefined ? [] : [report]);
  });

  it.each<[string, readonly Lines[], object]>([
    ['does not count a rejected item of the saved pages', [[withBroken(feed1), feed3, first]], { records: 2, accounts: 1 }],
    [
      'stays if an item of the missing pages is rejected',
      [GAPS, [feed1, withBroken(feed2), feed3, first, second]],
      { records: 1, accounts: 0 },
    ],
  ])('%s', async (_, imports, missing) => {
    const rejects = ['--rejects', join(temporaryFolder(), 'rejects'), '--max-rejected', '100%'];
    expect(await reportsAfter(imports, ...rejects)).toMatchObject([{ counted, missing }]);
  });

  it('is not written by a dry run, and is the same after a repeated import', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const run = async (...options: string[]) => {
      await palimpsestHere(['import', '-', '--store', store, ...options], { input: GAPS.join('\n') });
      const { stdout } = await palimpsestHere(['export', 'ndjson', '--store', store, '--to', '-']);
      return stdout.split('\n')[0];
    };
    await palimpsestHere(['import', '-', '--store', store], { input: OTHERS.join('\n') });
    expect(await run('--dry-run')).not.toContain('incomplete');
    const header = await run();
    expect(header).toContain('"incomplete":[{');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 });
    expect(await run()).toBe(header);
    vi.useRealTimers();
  });

  it('is in the tree and in archives, which --require-complete then refuses', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'saved'));
    for (const [index, page] of GAPS.entries()) writeFileSync(join(cwd, 'saved', `${index}.json`), page ?? '');
    const sentence = `the import of ${BASE} lacks at least 2 of 6 records and at least 1 of 2 accounts`;
    await palimpsestJson(['import', 'saved', '--store', 'store.db'], { cwd });
    for (const args of [
      ['build', '--store', 'store.db', '--base-url', 'https://copy.example'],
      ...['wacz', 'warc', 'bag'].map((kind) => ['archive', kind, '--to', `a.${kind}`]),
    ]) {
      expect(await palimpsestHere(args, { cwd })).toMatchObject({ code: 0, stderr: expect.stringContaining(sentence) });
    }
    for (const kind of ['wacz', 'warc', 'bag']) {
      const args = ['import', `a.${kind}`, '--store', 'copy.db', '--require-complete'];
      expect(await palimpsestHere(args, { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
    }
  });
});
