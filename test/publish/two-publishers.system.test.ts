import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { palimpsest, palimpsestHere } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { Growing, publishArgs } from './growing.ts';

/** How often two processes publish at the same time. simulated.test.ts does so at a store in memory, with any order of requests. */
const OVERLAPS = timesInProcess('overlaps of two publishers', 3, 100);
/** Each tree replaces each other one, also one with more records. */
const ANY_TREE = ['--allow-gaps', '--max-delete', '100%', '--json'];

const folder = folderOfFile();
let trees: readonly string[];
beforeAll(async () => {
  const sizes = [60, 70, 80, 90];
  trees = await Promise.all(sizes.map(async (records) => (await Growing.of(folder, `${records}`, { records, accounts: 20 })).out));
});

/** Whether the target has all files of a tree. */
async function isAt(target: string, out: string): Promise<boolean> {
  const { stdout } = await palimpsestHere(publishArgs(out, target, [...ANY_TREE, '--repair', '--dry-run']));
  return JSON.parse(stdout).plan.uploads === 0;
}

it.each([
  ['was published to before', () => 'site'],
  ['is new', (overlap: number) => `new-${overlap}`],
])('of two publishes to a folder at the same time, one succeeds and no tree is mixed, if it %s', async (_, nameOf) => {
  for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
    const target = join(folder, nameOf(overlap));
    const pair = trees.slice(overlap % 2 === 0 ? 0 : 2).slice(0, 2);
    const ended = await Promise.all(pair.map((out) => palimpsest(publishArgs(out, target, ANY_TREE))));
    for (const { code, stdout } of ended) if (code !== 0) expect(JSON.parse(stdout).error.code).toBe('target-busy');
    const published = pair.filter((_, index) => ended[index]?.code === 0);
    const found = await Promise.all(published.map((out) => isAt(target, out)));
    expect(found, `overlap ${overlap}`).toContain(true);
  }
});
