import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectionPages } from '../../src/pages/collection-pages.ts';
import { type PageSpan, type Pages, pagesFor, type ReadSpan, spansOf } from '../../src/pages/pagination.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

/** Walks a span and returns what was read. */
function read(pages: Pages, span: PageSpan): ReadSpan {
  const walk = pages.walk(span);
  let step = walk.next();
  while (!step.done) step = walk.next();
  return step.value;
}

it('all spans together have read what the store has, and fewer have not', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await importHistory(path, goodHistory(60));
  const store = Store.open(path);
  const site = { ...SITE, page_size: 1, account_page_size: 1 };
  for (const [name, count] of [
    ['data', store.revision.records],
    ['account', store.revision.accounts],
  ] as const) {
    const pages = collectionPages(store, site)[name];
    const [one, rest] = [
      { collection: name, index: 0, from: 1, to: 1 },
      { collection: name, index: 1, from: 2, to: count },
    ];
    const spans = name === 'data' ? spansOf(name, count) : [one, rest];
    expect(spans.length).toBe(2);
    const [first, second] = spans.map((span) => read(pages, span));
    if (first === undefined || second === undefined) throw new Error('too few spans');
    expect(() => pages.check([first, second])).not.toThrow();
    // another thread skips the span before
    expect(read(collectionPages(store, site)[name], spans[1] ?? rest)).toEqual(second);
    for (const part of [[first], [second], [first, second, second]])
      expect(() => pages.check(part)).toThrow(expect.objectContaining({ code: 'bad-store' }));
    const revisions = spans.flatMap((span) => [...pages.walk(span)].map(({ revision }) => revision));
    expect(Math.min(...revisions)).toBeGreaterThan(0);
  }
  const pages = collectionPages(store, SITE).data;
  const ranges = spansOf('data', pagesFor(store.revision.records, SITE.page_size)).flatMap((span) =>
    [...pages.walk(span)].map(({ range }) => range),
  );
  expect([ranges.length, ranges[0], ranges.at(-1)]).toEqual([9, { first: 128, last: 116 }, { first: 16, last: 10 }]);
  store.close();
});

it('an empty feed has one page without a range', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await importHistory(path, goodHistory(0));
  const store = Store.open(path);
  const [span] = spansOf('data', 1);
  const pages = span === undefined ? [] : [...collectionPages(store, SITE).data.walk(span)];
  expect(pages.map(({ number, range }) => [number, range])).toEqual([[1, undefined]]);
  store.close();
});
