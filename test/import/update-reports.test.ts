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
  it.each<[string, readonly Lines[], boolean]>([
    ['is in the store', [GAPS], true],
    ['stays with the missing pages in another run', [GAPS, [feed2, second]], true],
    ['ends with all pages in one run', [OTHERS, GAPS, ALL], false],
    ['ends with all pages of a service that has removed items', [GAPS, OLDER], false],
    ['stays after the import of other items', [GAPS, OTHERS], true],
    ['is in a store that had all pages before', [ALL, GAPS], true],
    ['is missing without an address', [[feed1?.replaceAll('/rest/', '/v1/')]], false],
  ])('%s', async (_, imports, isExpected) => {
    const counted = { records: 6, accounts: 2 };
    const report = { base_url: BASE, request_count: 0, finished_at: expect.stringMatching(/^\d.*Z$/), counted: expect.anything() };
    const reports = await reportsAfter(imports);
    expect(reports).toEqual(isExpected ? [{ ...report, missing: { records: 0, accounts: 0 } }] : []);
    if (imports.length === 1 && isExpected) expect(reports).toMatchObject([{ counted }]);
  });

  it.each<[string, readonly Lines[]]>([
    ['is in the store if an item of the saved pages is rejected', [[withBroken(feed1), feed3, first]]],
    ['stays if an item of the missing pages is rejected', [GAPS, [feed1, withBroken(feed2), feed3, first, second]]],
  ])('%s', async (_, imports) => {
    const rejects = ['--rejects', join(temporaryFolder(), 'rejects'), '--max-rejected', '100%'];
    expect(await reportsAfter(imports, ...rejects)).toHaveLength(1);
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
    const sentence = `nothing proves that the import of ${BASE} is complete`;
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
    // a tree with the links of the service has all of its own pages: that proves nothing about the service
    await palimpsestHere(['build', '--store', 'store.db', '--base-url', BASE, '--out', 'same'], { cwd });
    await palimpsestHere(['import', 'same', '--store', 'copy.db'], { cwd });
    const args = ['build', '--store', 'copy.db', '--base-url', BASE, '--out', 'of-copy'];
    expect(await palimpsestHere(args, { cwd })).toMatchObject({ stderr: expect.stringContaining(sentence) });
  });
});
