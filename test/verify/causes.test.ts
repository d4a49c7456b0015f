import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../src/contract/pages/collection.ts';
import { DamagedPages } from '../../src/verify/pages/damaged-pages.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { type DamagedTree, objectsIn } from './damaged-tree.ts';
import { goodHistory, goodTreeOfFile, importHistory } from './good-tree.ts';

const { store, copy } = goodTreeOfFile();

/** Returns the causes, once without and once with the store. They must explain all violations. */
async function causesOf({ folder }: DamagedTree): Promise<string[][]> {
  return [await verify({ out: folder }), await verify({ out: folder, store })].map(({ causes, violations, violationCount }) => {
    expect(violations.length).toBe(violationCount);
    expect(causes.reduce((sum, cause) => sum + cause.violationCount, 0)).toBe(violationCount);
    for (const { path, violationCount: count, rules } of causes) {
      const explained = violations.filter(({ cause }) => cause === path);
      expect(explained.length).toBe(count);
      for (const [rule, times] of Object.entries(rules)) expect(explained.filter((one) => one.rule === rule).length).toBe(times);
    }
    return causes.map(({ path }) => path);
  });
}

const file = (collection: Collection, page: number) => `rest/${collection}/page/${page}/index.json`;

describe('the cause of violations', () => {
  it.each<[Collection, number, string, (tree: DamagedTree, path: string) => void]>([
    ['data', 5, 'is cut short', (tree, path) => tree.write(path, tree.bytes(path).subarray(0, 300))],
    ['account', 2, 'is missing', (tree, path) => tree.remove(path)],
    [
      'account',
      2,
      'lacks an item',
      (tree) => tree.editPage('account', 2, (page) => Object.assign(page, { results: objectsIn(page.results).slice(0, -1) })),
    ],
    ['data', 8, 'has another text', (tree) => tree.editText('data', 8, (text) => text.replace(/"text":"(?=\w)/, '"text":"!'))],
  ])('is page %s %i if it %s', async (collection, page, _, damage) => {
    const [tree, path] = [copy(), file(collection, page)];
    damage(tree, path);
    expect(await causesOf(tree)).toEqual([[path], [path]]);
  });

  it('is each of several damaged pages, with the items of that page', async () => {
    const tree = copy();
    const paths = [3, 6].map((page) => file('data', page));
    for (const path of paths) tree.remove(path);
    expect(await causesOf(tree)).toEqual([paths, paths]);
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
    for (const path of ['rest/data/index.json', file('data', 1)]) {
      const tree = copy();
      tree.write(path, tree.text(path).replace('"text":"', '"text":"!'));
      expect((await causesOf(tree))[0]).toEqual([path]);
    }
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
    expect(causes).toMatchObject([{ path: 'build.json', violationCount, rules: { 'store-fingerprint': 1 } }]);
    tree.remove(file('data', 4));
    expect((await verify({ out: tree.folder, store: later })).causes.map(({ path }) => path).toSorted()).toEqual([
      'build.json',
      file('data', 4),
    ]);
  });
});

describe('palimpsest verify', () => {
  it('prints one group for each cause', async () => {
    const tree = copy();
    tree.remove(file('data', 3));
    tree.write('stray', '');
    const { code, stdout } = await palimpsestHere(['verify', '--out', tree.folder, '--store', store]);
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('rest/data/page/3/index.json: 8 violations');
    expect(lines[1]).toMatch(/^ {2}file-missing: expected a file, found ENOENT/);
    expect(lines[2]).toMatch(
      /^ {2}account-data-surplus: 7 times, first rest\/account\/index\.json, record \d+: expected the record in the feed/,
    );
    expect(lines[3]).toBe('stray: 1 violation');
    expect(lines[4]).toBe('  unexpected-file: expected no file at this path, found a file');
    expect(lines[5]).toMatch(/^verified .*: 9 violations, caused by 2 files$/);
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
