import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLECTIONS, type Collection } from '../../src/contract/collection.ts';
import { DamagedPages } from '../../src/verify/damaged-pages.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { DamagedTree } from './damaged-tree.ts';
import { buildTree, goodHistory, importHistory } from './good-tree.ts';

let home = '';
let good = '';
let store = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-causes-'));
  [good, store] = [join(home, 'good'), join(home, 'good.db')];
  await importHistory(store, goodHistory());
  await buildTree(store, good);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const copy = () => DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));

/** Returns the causes, once without and once with the store. They must explain all violations. */
async function causesOf({ folder }: DamagedTree): Promise<string[][]> {
  return [await verify({ out: folder }), await verify({ out: folder, store })].map(({ causes, violations, violationCount }) => {
    expect(violations.length).toBe(violationCount);
    expect(causes.reduce((sum, cause) => sum + cause.violations, 0)).toBe(violationCount);
    for (const { path, violations: count, rules } of causes) {
      const explained = violations.filter(({ cause }) => cause === path);
      expect(explained.length).toBe(count);
      for (const [rule, times] of Object.entries(rules)) expect(explained.filter((one) => one.rule === rule).length).toBe(times);
    }
    return causes.map(({ path }) => path);
  });
}

const file = (collection: Collection, page: number) => `rest/${collection}/page/${page}/index.json`;
/** The pages that have one file only. */
const PAGES = COLLECTIONS.flatMap((collection) => (collection === 'data' ? [2, 5, 8] : [2]).map((page) => [collection, page] as const));

describe('the cause of violations', () => {
  it.each(PAGES)('is page %s %i if that is missing, cut short, or lacks an item', async (collection, page) => {
    const path = file(collection, page);
    for (const damage of [
      (tree: DamagedTree) => tree.remove(path),
      (tree: DamagedTree) => tree.write(path, tree.bytes(path).subarray(0, 300)),
      (tree: DamagedTree) => tree.editPage(collection, page, (found) => void (Array.isArray(found.results) && found.results.pop())),
      (tree: DamagedTree) => tree.editText(collection, page, (text) => text.replace(/"text":"(?=\w)/, '"text":"!')),
    ]) {
      const tree = copy();
      damage(tree);
      expect(await causesOf(tree)).toEqual([[path], [path]]);
    }
  });

  it('is each of several damaged pages, with the items of that page', async () => {
    const tree = copy();
    const lost = [3, 6].map((page) => tree.page('data', page).results);
    for (const page of [3, 6]) tree.remove(file('data', page));
    const { violations } = await verify({ out: tree.folder, store });
    for (const [index, page] of [3, 6].entries()) {
      const subjects = violations
        .filter(({ cause, rule }) => cause === file('data', page) && rule === 'store-missing')
        .map((one) => one.subject);
      const records = lost[index];
      expect(subjects).toEqual(Array.isArray(records) ? records.map(({ id }) => `record ${id}`) : []);
    }
    expect(await causesOf(tree)).toEqual([
      [file('data', 3), file('data', 6)],
      [file('data', 3), file('data', 6)],
    ]);
  });

  it('is the last of several damaged pages in a row, for items that may have been on any of them', async () => {
    const tree = copy();
    for (const page of [4, 5]) tree.remove(file('data', page));
    const { causes } = await verify({ out: tree.folder });
    expect(causes.map(({ path, rules }) => [path, rules['file-missing'], rules['account-data-surplus'] ?? 0])).toEqual([
      [file('data', 4), 1, 0],
      [file('data', 5), 1, 14],
    ]);
  });

  it('is the damaged one of two files with the same page', async () => {
    const tree = copy();
    tree.write('rest/data/index.json', tree.text('rest/data/index.json').replace('"text":"', '"text":"!'));
    expect((await causesOf(tree))[0]).toEqual(['rest/data/index.json']);
    const other = copy();
    other.write(file('data', 1), other.text(file('data', 1)).replace('"text":"', '"text":"!'));
    expect((await causesOf(other))[0]).toEqual([file('data', 1)]);
  });

  it('is the manifest if that is damaged', async () => {
    const tree = copy();
    const manifest = 'manifest-sha256.txt';
    tree.write(manifest, tree.text(manifest).replaceAll(/^[0-9a-f]{8}/gm, '00000000'));
    const { violationCount } = await verify({ out: tree.folder });
    expect(violationCount).toBeGreaterThan(10);
    expect((await causesOf(tree))[0]).toEqual([manifest]);
  });

  it('is build.json if the store changed since the build', async () => {
    const tree = copy();
    const later = join(temporaryFolder(), 'later.db');
    await importHistory(later, goodHistory(75));
    const { causes, violationCount } = await verify({ out: tree.folder, store: later });
    expect(causes).toMatchObject([{ path: 'build.json', violations: violationCount, rules: { 'store-fingerprint': 1 } }]);
    tree.remove(file('data', 4));
    expect((await verify({ out: tree.folder, store: later })).causes.map(({ path }) => path).toSorted()).toEqual([
      'build.json',
      file('data', 4),
    ]);
  });

  it('is the file itself if the digests are right', async () => {
    const tree = copy();
    tree.editFeed((records) => records.map((record, index) => (index === 10 ? { ...record, data_type: 'Age' } : record)));
    tree.reseal();
    const { violations } = await verify({ out: tree.folder });
    expect(violations[0]).toMatchObject({ rule: 'record-field', path: file('data', 2), cause: file('data', 2) });
  });
});

describe('palimpsest verify', () => {
  it('prints one group for each cause, and keeps the place of every violation in --json', async () => {
    const tree = copy();
    tree.remove(file('data', 3));
    tree.write('stray', '');
    const { code, stdout } = await palimpsestHere(['verify', '--out', tree.folder, '--store', store]);
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('rest/data/page/3/index.json: 15 violations');
    expect(lines[1]).toMatch(/^ {2}file-missing: expected a file, found ENOENT/);
    expect(lines[2]).toMatch(
      /^ {2}store-missing: 7 times, first rest\/data\/page\/4\/index\.json, record \d+: expected the record in the tree, found/,
    );
    expect(lines[3]).toMatch(
      /^ {2}account-data-surplus: 7 times, first rest\/account\/index\.json, record \d+: expected the record in the feed/,
    );
    expect(lines[4]).toBe('stray: 1 violation');
    expect(lines[5]).toBe('  unexpected-file: expected no file at this path, found a file');
    expect(lines[6]).toMatch(/^verified .*: 16 violations, caused by 2 files$/);
    const json = await palimpsestHere(['verify', '--out', tree.folder, '--store', store, '--json']);
    const { violations, causes } = JSON.parse(json.stdout);
    expect(causes).toEqual([
      { path: file('data', 3), violations: 15, rules: { 'file-missing': 1, 'store-missing': 7, 'account-data-surplus': 7 } },
      { path: 'stray', violations: 1, rules: { 'unexpected-file': 1 } },
    ]);
    expect(violations.length).toBe(16);
    expect(new Set(violations.map(({ subject }: { readonly subject?: string }) => subject)).size).toBe(8);
  });

  it('uses the singular for one violation and one cause', async () => {
    const tree = copy();
    tree.write('stray', '');
    const { stdout } = await palimpsestHere(['verify', '--out', tree.folder]);
    expect(stdout).toMatch(/: 1 violation, caused by 1 file\n {2}checked {3}60 records and 8 accounts\n/);
    expect(await palimpsestJson(['verify', '--out', good])).toMatchObject({ causes: [], violations: [] });
  });
});

describe('the damaged pages of a collection', () => {
  it('find the page of a missing item, like a search through all pages', async () => {
    const pages = fc.array(fc.record({ items: fc.nat({ max: 4 }), isRead: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(pages, (all) => {
        const damaged = new DamagedPages<number>((a, b) => a - b);
        const read: number[] = [];
        let next = 0;
        const ranges: { path: string; above: number; below: number }[] = [];
        for (const [index, { items, isRead }] of all.entries()) {
          const path = `page ${index}`;
          damaged.begin(path, !isRead);
          if (!isRead) ranges.push({ path, above: read.at(-1) ?? -1, below: Number.POSITIVE_INFINITY });
          for (let item = 0; item < items; item += 1, next += 1) {
            if (!isRead) continue;
            damaged.read(next);
            read.push(next);
            for (const range of ranges) range.below = Math.min(range.below, next);
          }
        }
        for (let item = 0; item < next; item += 1) {
          if (read.includes(item)) continue;
          expect(damaged.at(item)).toBe(ranges.findLast(({ above, below }) => above < item && item < below)?.path);
        }
      }),
    );
  });
});
