import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { ENCODINGS, SUFFIXES } from '../../src/tree/encoding.ts';
import {
  fileCount,
  hasPage,
  isPagePath,
  type Layout,
  pathsInWriteOrder,
  pathsOf,
  pathsOfNext,
  pathsOfPages,
} from '../../src/tree/layout.ts';

const pages = fc.integer({ min: 1, max: 30 });
const layouts: fc.Arbitrary<Layout> = fc.record({
  pages: fc.record({ data: pages, account: pages }),
  encodings: fc.subarray([...ENCODINGS]),
});

/** The paths of a page's files, without what all have in common. */
const namesOf = (paths: readonly string[]) => paths.map((path) => path.replace('rest/data/', '').replace('index.json', ''));

describe('the files with pages', () => {
  it('are as many as the layout has, and each is at the path of a page', () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const paths = [...pathsOfPages(layout)];
        expect(new Set(paths).size).toBe(fileCount(layout));
        expect(paths.every(isPagePath)).toBe(true);
      }),
    );
  });

  it('are each of exactly one page', () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const found = COLLECTIONS.flatMap((collection) => {
          const count = layout.pages[collection];
          return Array.from({ length: count }, (_, index) => {
            const paths = pathsInWriteOrder(collection, index + 1, layout);
            const plain = pathsOf(collection, index + 1, count);
            const copies = plain.flatMap((path) => layout.encodings.map((encoding) => path + SUFFIXES[encoding]));
            expect(paths.toSorted()).toEqual([...plain, ...copies].toSorted());
            return paths;
          }).flat();
        });
        expect(found.toSorted()).toEqual([...pathsOfPages(layout)].toSorted());
      }),
    );
  });

  it('are in another layout if it has the page and the encoding', () => {
    fc.assert(
      fc.property(layouts, layouts, (one, other) => {
        const paths = new Set(pathsOfPages(other));
        for (const path of pathsOfPages(one)) expect(hasPage(path, other)).toBe(paths.has(path));
      }),
    );
  });

  it.each([
    ...['rest/data/page/index.json', 'rest/data/page/0/index.json', 'rest/data/page/01/index.json', 'rest/data/page/4/index.json'],
    ...['rest/data/index.json.br', 'rest/data/index.jsonx', 'rest/other/index.json', 'x/rest/data/index.json', 'rest/data/page/2/'],
    ...['index.html', `rest/data/page/${'9'.repeat(16)}/index.json`, 'rest/data/index.json.gzip', ''],
  ])('are not at %j', (path) => {
    expect(hasPage(path, { pages: { data: 3, account: 1 }, encodings: ['gzip'] })).toBe(false);
  });
});

describe('the write order of the files of a page', () => {
  const layout: Layout = { pages: { data: 3, account: 1 }, encodings: ['gzip', 'brotli'] };

  it('ends with the index for the first page, and begins with the second file for the last page', () => {
    expect(namesOf(pathsInWriteOrder('data', 1, layout))).toEqual(['page/1/.br', 'page/1/.gz', 'page/1/', '.br', '.gz', '']);
    expect(namesOf(pathsInWriteOrder('data', 2, layout))).toEqual(['page/2/.br', 'page/2/.gz', 'page/2/']);
    expect(namesOf(pathsInWriteOrder('data', 3, layout))).toEqual([
      ...['page/last/.br', 'page/last/.gz', 'page/last/'],
      ...['page/3/.br', 'page/3/.gz', 'page/3/'],
    ]);
  });

  it('has all three files of a single page', () => {
    const single = { pages: { data: 1, account: 1 }, encodings: [] };
    expect(namesOf(pathsInWriteOrder('data', 1, single))).toEqual(['page/last/', 'page/1/', '']);
  });

  it('is not that of the files that next links lead to, which are only the numbered ones', () => {
    expect(namesOf(pathsOfNext('data', 1, layout))).toEqual(['page/1/', 'page/1/.gz', 'page/1/.br']);
  });
});
