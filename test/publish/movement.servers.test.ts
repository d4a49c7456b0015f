import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { buildArgs } from '../whole/trees.ts';
import { publishJson } from './growing.ts';
import { CEPH, type Store, startCeph } from './stores.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '5'];
let lines: string[] = [];

beforeAll(async () => {
  lines = await recordLines(900, 90);
});

/** A tree of some of the records, built from a separate store. */
async function treeOf(name: string, records: readonly string[], sizes: readonly string[] = SIZES): Promise<string> {
  const [store, out] = [join(folder, `${name}.db`), join(folder, name)];
  rmSync(store, { force: true });
  await importLines(store, records);
  await palimpsestJson(buildArgs(store, out, sizes));
  return out;
}

async function refusal(out: string, site: string): Promise<{ readonly code: number | null; readonly error: unknown }> {
  const { code, stdout } = await palimpsest(['publish', site, '--out', out, '--max-delete', '100%', '--json']);
  return { code, error: JSON.parse(stdout).error };
}

const refused = (found: string) => ({ code: 3, error: { code: 'reader-gaps', found: expect.stringMatching(found) } });

describe.concurrent('records that move to earlier pages', { timeout: 180_000 }, () => {
  it('are refused if a store lost its newest records and gained as many older ones', async () => {
    const site = join(folder, 'swapped-site');
    await publishJson(['publish', site, '--out', await treeOf('swapped', lines.slice(200, 600))]);
    const state = readFileSync(join(site, 'publish.json'), 'utf8');
    const later = await treeOf('swapped later', lines.slice(0, 400));
    expect(await refusal(later, site)).toMatchObject(refused('records of 40 pages move to earlier pages, the first from page 1'));
    expect(readFileSync(join(site, 'publish.json'), 'utf8')).toBe(state);
    await publishJson(['publish', site, '--out', later, '--allow-gaps', '--max-delete', '100%']);
    expect(await publishJson(['publish', site, '--out', later])).toMatchObject({ requests: { all: 1 } });
  });

  it('are reported by the build as well', async () => {
    const out = await treeOf('built', lines.slice(200, 600));
    await importLines(join(folder, 'built later.db'), lines.slice(0, 400));
    const args = buildArgs(join(folder, 'built later.db'), out, SIZES);
    expect(await palimpsestJson(args)).toMatchObject({ reader_gaps: true });
    await importLines(join(folder, 'built later.db'), lines.slice(400, 420));
    expect(await palimpsestJson(args)).toMatchObject({ reader_gaps: false });
  });

  it('do not occur if only older records are added', async () => {
    const site = join(folder, 'older-site');
    await publishJson(['publish', site, '--out', await treeOf('older', lines.slice(200, 600), ['--page-size', '10'])]);
    const later = await treeOf('older later', lines.slice(100, 600), ['--page-size', '10']);
    expect(await publishJson(['publish', site, '--out', later])).toMatchObject({ reader_gaps: [] });
  });
});

describe.concurrent('an account that moves to an earlier page', { timeout: 180_000 }, () => {
  /** All records of one account, then all of the next, so that an older record moves its account far. */
  const account = (record: string): unknown => JSON.parse(record).account;

  it('is refused if an older first record of the account was added', async () => {
    const late = account(lines[0] ?? '');
    const others = lines.filter((record) => account(record) !== late);
    const last = lines.findLast((record) => account(record) === late) ?? '';
    const site = join(folder, 'account-site');
    await publishJson(['publish', site, '--out', await treeOf('account', [...others, last])]);
    const later = await treeOf('account later', [...others, last, lines[0] ?? '']);
    expect(await refusal(later, site)).toMatchObject(refused('^accounts of one page move to earlier pages, the first from page'));
  });
});

describe.concurrent('a target without sort keys', { timeout: 180_000 }, () => {
  it('gets its plan from counts, reports this, and has sort keys afterwards', async () => {
    const site = join(folder, 'former-site');
    await publishJson(['publish', site, '--out', await treeOf('former', lines.slice(0, 400))]);
    rmSync(join(site, 'sort-keys.txt'));
    const state = JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'));
    delete state.trees[0].sort_keys;
    writeFileSync(join(site, 'publish.json'), JSON.stringify(state));
    const later = await treeOf('former later', lines.slice(0, 403));
    const { code, stderr } = await palimpsest(['publish', site, '--out', later]);
    expect(stderr).toContain('only from the counts');
    expect(code).toBe(0);
    expect(existsSync(join(site, 'sort-keys.txt'))).toBe(true);
    const next = await palimpsest(['publish', site, '--out', await treeOf('former last', lines.slice(0, 405))]);
    expect(next).toMatchObject({ code: 0, stderr: expect.not.stringContaining('only from the counts') });
  });

  it('is treated like a target whose sort keys another program replaced', async () => {
    const site = join(folder, 'replaced-site');
    await publishJson(['publish', site, '--out', await treeOf('replaced', lines.slice(0, 400))]);
    writeFileSync(join(site, 'sort-keys.txt'), 'data 10\naccount 5\n');
    const { stderr } = await palimpsest(['publish', site, '--out', await treeOf('replaced later', lines.slice(0, 403))]);
    expect(stderr).toContain('only from the counts');
  });
});

describe.each([
  ['a folder', async () => ({ address: join(folder, 'planned'), env: {}, store: undefined }), false] as const,
  [
    'Ceph',
    async () => {
      const store: Store | undefined = await startCeph();
      return { address: CEPH.address('planned'), env: CEPH.env(store.endpoint), store };
    },
    CEPH.requirement.skip,
  ] as const,
])('a plan for %s', (name, start, skip) => {
  let place: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    if (!skip) place = await start();
  });
  afterAll(() => place?.store?.stop());

  it.skipIf(skip)('predicts what the run then does', { timeout: 300_000 }, async () => {
    const out = join(folder, `planned ${name} tree`);
    const nights: readonly (readonly [string, number, readonly string[], readonly string[]])[] = [
      ['first', 300, SIZES, []],
      ['nothing', 300, SIZES, []],
      ['few', 303, SIZES, []],
      ['a page', 313, SIZES, []],
      ['many, with many new accounts', 600, SIZES, []],
      ['other headers', 600, SIZES, ['--cache-control', 'no-cache']],
      ['compressed', 600, [...SIZES, '--compress', 'gzip'], []],
      ['plain again', 640, SIZES, ['--max-delete', '100%']],
      ['smaller pages', 640, ['--page-size', '8', '--account-page-size', '4'], ['--max-delete', '100%']],
      ['larger pages', 640, SIZES, ['--max-delete', '100%', '--allow-gaps']],
      ['repair with news', 645, SIZES, ['--repair']],
    ];
    for (const [night, records, sizes, more] of nights) {
      await importLines(join(folder, `planned ${name}.db`), lines.slice(0, records));
      await palimpsestJson(buildArgs(join(folder, `planned ${name}.db`), out, sizes));
      const args = ['publish', place.address, '--out', out, ...more];
      const { plan, steps } = await publishJson([...args, '--plan'], place.env);
      const { done, requests, milliseconds } = await publishJson(args, place.env);
      const planned: Record<string, unknown> = { ...Object(plan) };
      expect(done, night).toEqual({ uploads: planned['uploads'], overlaps: planned['overlaps'], deletes: planned['deletes'] });
      // a longer run also writes heartbeats, one every four seconds
      const beats = Object(requests).writes - Object(planned['requests']).writes;
      expect(beats, night).toBeGreaterThanOrEqual(0);
      expect(beats, night).toBeLessThanOrEqual(Number(milliseconds) / 4_000);
      const { all, writes, ...rest } = Object(planned['requests']);
      expect(requests, night).toEqual({ all: all + beats, writes: writes + beats, ...rest, retries: 0 });
      expect(Array.isArray(steps) && steps.length, night).toBe(
        Object.values(Object(done)).reduce((sum: number, one) => sum + Number(one), 0),
      );
    }
  });
});
