import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/contract/pages/collection.ts';
import { lengthOf } from '../../../src/sources/items/number-ranges.ts';
import { lackOf, type PageSetReport, PageSets } from '../../../src/sources/items/page-set.ts';
import type { SavedPage } from '../../../src/sources/source.ts';

const BASE = 'https://history.example/rest';

/** The items of a page from one position to another, counted from 1. A record has its position as its id. */
function itemsAt(collection: Collection, first: number, last: number): Pick<SavedPage, 'ids' | 'accounts' | 'isOrdered'> {
  if (collection === 'data') return { ids: { first, last }, accounts: [], isOrdered: true };
  return { ids: undefined, accounts: Array.from({ length: last - first + 1 }, (_, index) => BigInt(first + index)), isOrdered: true };
}

/** Returns page `number` as Django REST Framework serves it if the collection has `count` items. */
function page(collection: Collection, count: number, size: number, number: number, base = BASE): SavedPage {
  const last = Math.max(1, Math.ceil(count / size));
  const url = (target: number) => `${base}/${collection}/${target === 1 ? '' : `?page=${target}`}`;
  const items = number < last ? size : count - (last - 1) * size;
  const before = (number - 1) * size;
  const positions =
    collection === 'data' ? ([count - before, count - before - items + 1] as const) : ([before + 1, before + items] as const);
  return {
    ...itemsAt(collection, ...positions),
    collection: count === 0 ? undefined : collection,
    count,
    next: number < last ? url(number + 1) : null,
    previous: number > 1 ? url(number - 1) : null,
    items,
  };
}

function reportsOf(pages: readonly SavedPage[]): PageSetReport[] {
  const sets = new PageSets();
  for (const one of pages) sets.add(one);
  return sets.report();
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const collections = fc.constantFrom<Collection>('data', 'account');

describe('the report on a set of saved pages', () => {
  it('lists exactly the missing pages, for any order and any repetition of the others', () => {
    const sets = fc
      .record({ collection: collections, size: fc.integer({ min: 1, max: 7 }), pages: fc.integer({ min: 2, max: 40 }), rest: fc.nat() })
      .map(({ rest, ...set }) => ({ ...set, count: (set.pages - 1) * set.size + 1 + (rest % set.size) }))
      .chain((set) => fc.tuple(fc.constant(set), fc.array(fc.integer({ min: 1, max: set.pages }), { minLength: 1, maxLength: 80 })));
    fc.assert(
      fc.property(sets, ([{ collection, count, size, pages }, saved]) => {
        const [report] = reportsOf(saved.map((number) => page(collection, count, size, number)));
        const missing = numbers(pages).filter((number) => !saved.includes(number));
        const items = missing.map((number) => page(collection, count, size, number).items).reduce((sum, one) => sum + one, 0);
        const listed = report?.missingPages.flatMap(({ from, to }) => numbers(to - from + 1).map((step) => from + step - 1));
        expect(listed).toEqual(missing);
        expect(report).toMatchObject({
          collection,
          url: `${BASE}/${collection}/`,
          status: missing.length === 0 ? 'complete' : 'incomplete',
          count,
          pages: saved.length,
          pageSize: size,
          expectedPages: pages,
          missingItems: items,
          reason: null,
        });
      }),
    );
  });

  it('ignores letter case in the scheme and host of the links, but not in the path', () => {
    const pages = numbers(3).map((number) => page('data', 30, 10, number, number === 2 ? 'HTTPS://History.Example/rest' : BASE));
    expect(reportsOf(pages)).toMatchObject([{ url: `${BASE}/data/`, status: 'complete', pages: 3 }]);
    const others = numbers(3).map((number) => page('data', 30, 10, number, `https://history.example/${number === 2 ? 'Rest' : 'rest'}`));
    expect(reportsOf(others).length).toBe(2);
  });

  it('estimates what is missing if the feed grew during the download, and never reports it as complete', () => {
    const fetches = fc.array(fc.record({ growth: fc.nat({ max: 9 }), at: fc.nat() }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(fetches, fc.integer({ min: 1, max: 7 }), (steps, size) => {
        let count = size * 3 + 1;
        const seen = new Set<number>();
        const pages: SavedPage[] = [];
        for (const { growth, at } of steps) {
          count += growth;
          const number = 1 + (at % Math.ceil(count / size));
          const one = page('data', count, size, number);
          // the newest item, number `count`, comes first
          for (const item of numbers(one.items)) seen.add(count - (number - 1) * size - item + 1);
          pages.push(one);
        }
        const most = Math.max(...pages.map((one) => one.count));
        const missing = numbers(most).filter((item) => !seen.has(item)).length;
        const isSteady = pages.every((one) => one.count === most);
        const [report] = reportsOf(pages);
        expect(report?.missingItems).toBe(missing);
        expect(report?.status).toBe(missing > 0 ? 'incomplete' : isSteady ? 'complete' : 'unknown');
        if (!isSteady) expect(report?.reason).toContain('the pages have different counts');
      }),
    );
  });

  it('is separate for each service and collection', () => {
    const other = 'http://other.example/api/rest';
    const reports = reportsOf([
      page('data', 5, 2, 1),
      page('data', 5, 2, 3, other),
      page('account', 2, 1, 1),
      page('data', 5, 2, 2),
      page('account', 2, 1, 2),
      page('data', 5, 2, 3),
    ]);
    expect(reports.map(({ url, status, missingItems }) => [url, status, missingItems])).toEqual([
      [`${BASE}/data/`, 'complete', 0],
      [`${other}/data/`, 'incomplete', 4],
      [`${BASE}/account/`, 'complete', 0],
    ]);
  });

  const links = (next: string | null, previous: string | null = null) => ({
    next: next && `${BASE}/data/?${next}`,
    previous: previous && `${BASE}/data/?${previous}`,
  });
  /** A page of `count` items, with `items` of them, and without links. */
  const plain = (count: number, items: number, more: Partial<SavedPage> = {}): SavedPage => ({
    ...itemsAt('data', count, count - items + 1),
    collection: 'data',
    next: null,
    previous: null,
    count,
    items,
    ...more,
  });

  it.each<[string, readonly SavedPage[], object]>([
    ['pages that contain all their items', [plain(3, 3), plain(5, 5)], { status: 'complete', missingItems: 0 }],
    ['an empty collection', [page('data', 0, 100, 1)], { status: 'complete', count: 0 }],
    [
      'a page without links and with items missing',
      [plain(30, 10)],
      { status: 'incomplete', missingItems: 20, pageSize: null, expectedPages: null },
    ],
    ['pages without links that may be identical', [plain(20, 10), plain(20, 10)], { status: 'unknown' }],
    [
      'pages with cursors',
      ['cursor=a', 'cursor=b'].map((query) => plain(20, 10, links(query))),
      { status: 'unknown', reason: 'some pages have no page number in next or previous' },
    ],
    [
      'the last page of a collection with cursors',
      [plain(20, 5, links(null, 'cursor=a'))],
      { status: 'incomplete', missingItems: 15, missingPages: [] },
    ],
    [
      'pages of different queries',
      ['a', 'b'].map((account) => plain(20, 10, links(`account=${account}&page=2`))),
      { status: 'unknown', reason: 'the pages belong to different queries' },
    ],
    [
      'a page with items removed by hand',
      [page('data', 20, 10, 1), { ...page('data', 20, 10, 2), items: 9 }],
      { status: 'incomplete', missingItems: 1, missingPages: [] },
    ],
    ['links that contradict each other', [plain(20, 20, links('page=9', 'page=3'))], { status: 'unknown' }],
    ['a page beyond its own count', [plain(20, 20, links('page=900000000000000', 'page=899999999999998'))], { status: 'unknown' }],
    [
      'a page with the records of the page before',
      [page('data', 30, 10, 1), { ...page('data', 30, 10, 2), ...itemsAt('data', 30, 21) }, page('data', 30, 10, 3)],
      { status: 'unknown', missingItems: 0, reason: 'the ids do not fall from page 1 to page 2: the pages may share records' },
    ],
    [
      'a page with half of the records of the page before, in any order of the pages',
      [3, 1, 2].map((number) => ({ ...page('data', 30, 10, number), ...(number === 2 ? itemsAt('data', 25, 16) : {}) })),
      { status: 'unknown', missingItems: 0, reason: 'the ids do not fall from page 1 to page 2: the pages may share records' },
    ],
    [
      'a page of the feed with accounts',
      [page('data', 20, 10, 1), { ...page('data', 20, 10, 2), ...itemsAt('account', 1, 10), collection: 'account' }],
      {
        status: 'unknown',
        reason: 'page 2 has items of the other collection, items without an id or name, or records that are not sorted by id',
      },
    ],
    [
      'a page with the accounts of the page before',
      [page('account', 25, 10, 1), { ...page('account', 25, 10, 2), ...itemsAt('account', 1, 10) }, page('account', 25, 10, 3)],
      { status: 'incomplete', missingItems: 10, missingPages: [], reason: 'the pages have only 15 distinct accounts' },
    ],
    [
      'a missing page, and one with accounts of another page',
      [page('account', 30, 10, 1), { ...page('account', 30, 10, 2), ...itemsAt('account', 6, 15) }],
      { status: 'incomplete', missingItems: 15, missingPages: [{ from: 3, to: 3 }] },
    ],
    [
      'the second page with a page size in its links',
      [plain(12, 5, links('page=3&page_size=5', 'page_size=5'))],
      { status: 'incomplete', missingItems: 7, missingPages: [1, 3].map((number) => ({ from: number, to: number })) },
    ],
  ])('claims only what is certain for %s', (_, pages, expected) => {
    expect(reportsOf(pages)).toMatchObject([expected]);
  });

  it('fits into one line, even for many missing pages', () => {
    const [report] = reportsOf(numbers(2000).map((number) => page('data', 40_001, 10, 2 * number)));
    expect(report && lengthOf(report.missingPages)).toBe(1000);
    expect(report && lackOf(report)).toBe('20001 of 40001 items are missing: pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 990 more of 4001');
  });
});
