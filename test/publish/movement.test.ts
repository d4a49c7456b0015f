import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PublishOptions } from '../../src/publish/publish.ts';
import { openTarget } from '../../src/storage/open-target.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { SimulatedStore } from '../versions/simulated-store.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { buildArgs } from '../whole/trees.ts';
import { publishJson } from './growing.ts';
import { publishHere } from './in-process.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '5'];
let lines: string[] = [];

beforeAll(async () => {
  lines = await recordLines(300, 30);
});

/** A tree of some of the records, built from a separate store. */
async function treeOf(name: string, records: readonly string[]): Promise<string> {
  const [store, out] = [join(folder, `${name}.db`), join(folder, name)];
  rmSync(store, { force: true });
  await importLines(store, records);
  await palimpsestJson(buildArgs(store, out, SIZES));
  return out;
}

/** Publishes a tree to a new folder. */
async function siteOf(name: string, records: readonly string[]): Promise<string> {
  const site = join(folder, `${name}-site`);
  await publishJson(['publish', site, '--out', await treeOf(name, records)]);
  return site;
}

describe('a target without sort keys', () => {
  it('gets its plan from counts, reports this, and has sort keys afterwards', async () => {
    const site = await siteOf('former', lines.slice(0, 200));
    rmSync(join(site, 'sort-keys.txt'));
    const state = JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'));
    delete state.trees[0].sort_keys;
    writeFileSync(join(site, 'publish.json'), JSON.stringify(state));
    const { code, stderr } = await palimpsestHere(['publish', site, '--out', await treeOf('former later', lines.slice(0, 203))]);
    expect(stderr).toContain('only from the counts');
    expect(code).toBe(0);
    expect(existsSync(join(site, 'sort-keys.txt'))).toBe(true);
    const next = await palimpsestHere(['publish', site, '--out', await treeOf('former last', lines.slice(0, 205))]);
    expect(next).toMatchObject({ code: 0, stderr: expect.not.stringContaining('only from the counts') });
  });
});

it('a plan for a folder or an object store predicts what the run then does', async () => {
  // no heartbeats, however long a run takes
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const [store, out] = [join(folder, 'planned.db'), join(folder, 'planned tree')];
  const site = await openTarget(join(folder, 'planned'), '', { connections: 32, secrets: {} });
  const targets = [site, new SimulatedStore().client()];
  const nights: readonly (readonly [string, number, readonly string[], Partial<PublishOptions>])[] = [
    ['first', 50, SIZES, {}],
    ['nothing', 50, SIZES, {}],
    ['few', 53, SIZES, {}],
    ['a page', 63, SIZES, {}],
    ['many, with many new accounts', 110, SIZES, {}],
    ['other headers', 110, SIZES, { cacheControl: 'no-cache' }],
    ['compressed', 110, [...SIZES, '--compress', 'gzip'], {}],
    ['plain again', 130, SIZES, {}],
    ['smaller pages', 130, ['--page-size', '8', '--account-page-size', '4'], { allowGaps: true }],
    ['larger pages', 130, SIZES, { allowGaps: true }],
    ['repair with news', 133, SIZES, { repair: true }],
  ];
  for (const [night, records, sizes, more] of nights) {
    await importLines(store, lines.slice(0, records));
    await palimpsestJson(buildArgs(store, out, sizes));
    for (const target of targets) {
      const { plan, steps } = await publishHere(target, out, { ...more, dryRun: true });
      const { done, traffic } = await publishHere(target, out, more);
      expect(done, night).toEqual({ uploads: plan.uploads, overlaps: plan.overlaps, deletes: plan.deletes });
      const { all, ...planned } = plan.requests;
      expect(traffic, night).toMatchObject({ ...planned, requests: all, retries: 0 });
      expect([...steps()], night).toHaveLength(done.uploads + done.overlaps + done.deletes);
    }
  }
});
