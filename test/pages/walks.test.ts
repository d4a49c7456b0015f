import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accountPages } from '../../src/pages/account-pages.ts';
import { feedPages } from '../../src/pages/feed-pages.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

it('two walks that meet have read what the store has, and others have not', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await importHistory(path, goodHistory(60));
  const store = Store.open(path);
  for (const [name, pages] of [
    ['data', feedPages(store, SITE)],
    ['account', accountPages(store, SITE)],
  ] as const) {
    expect(pages.collection).toBe(name);
    const read = (end: 'first' | 'last', count: number) => {
      const walk = pages.walk(end);
      let sum: readonly [number, number] = [0, 0];
      for (let step = 0; step < count; step += 1) sum = walk.next().value?.read() ?? sum;
      return sum;
    };
    for (const cut of [1, 2]) expect(() => pages.check(read('first', cut), read('last', pages.count - cut))).not.toThrow();
    expect(() => pages.check(read('first', 1), read('last', pages.count - 2))).toThrow(expect.objectContaining({ code: 'bad-store' }));
    expect(() => pages.check(read('first', 2), read('last', pages.count - 1))).toThrow(expect.objectContaining({ code: 'bad-store' }));
    const revisions = [...pages.walk('first')].map(({ revision }) => revision);
    expect(Math.min(...revisions)).toBeGreaterThan(0);
  }
  const ranges = [...feedPages(store, SITE).walk('first')].map(({ range }) => range);
  expect([ranges.length, ranges[0], ranges.at(-1)]).toEqual([9, { first: 128, last: 116 }, { first: 16, last: 10 }]);
  store.close();
});

it('an empty feed has one page without a range', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await importHistory(path, goodHistory(0));
  const store = Store.open(path);
  expect([...feedPages(store, SITE).walk('first')].map(({ number, range }) => [number, range])).toEqual([[1, undefined]]);
  store.close();
});
