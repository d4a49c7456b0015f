import { describe, expect, it } from 'vitest';
import { gapsOf, shiftOf } from '../../../src/publish/planning/reader-gaps.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';

const BUILD: TreeSize = {
  ...{ records: 100, accounts: 20, data_pages: 10, account_pages: 4 },
  ...{ page_size: 10, account_page_size: 5, compress: '' },
};
const older = (change: Partial<TreeSize>): TreeSize => ({ ...BUILD, ...change });
const moved = (shift: number, forward = 0, firstForward = 0) => ({ shift, forward, firstForward, leaving: new Uint8Array() });
const known = (trees: readonly TreeSize[], shift?: number, isDamaged = false) => ({
  ...{ build: BUILD, found: { trees, isDamaged } },
  movement: shift === undefined ? undefined : { data: moved(shift), account: moved(2 * shift) },
});

describe('how many pages back an item moves', () => {
  it.each([
    [known([]), 1, 1],
    [known([BUILD]), 1, 1],
    [known([older({ records: 89 })]), 2, 3],
    [known([older({ records: 90 })]), 1, 2],
    [known([older({ records: 99, accounts: 15 })]), 1, 2],
    [known([older({ records: 70 }), BUILD]), 3, 6],
    [known([BUILD, older({ page_size: 9 })]), Number.POSITIVE_INFINITY, 1],
    [known([older({ account_page_size: 6 })]), 1, Number.POSITIVE_INFINITY],
    [known([BUILD], 3, true), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [known([older({ records: 0 })], 3), 3, 6],
    [known([BUILD], 0), 1, 1],
    [known([BUILD, BUILD], 0), 1, 1],
    [known([BUILD, older({ records: 50 })], 3), 5, 10],
    [known([BUILD, BUILD], 3), 3, 6],
  ])('is limited by %j', (facts, data, account) => {
    expect([shiftOf(facts, 'data'), shiftOf(facts, 'account')]).toEqual([data, account]);
  });
});

describe('the reasons why readers may miss items', () => {
  const FEWER = 'fewer records than the target, so other records move to earlier pages';

  it.each([
    [[], []],
    [[older({ records: 99, accounts: 19, page_size: 11, account_page_size: 6 })], []],
    [[older({ records: 101 })], ['the tree has 1 fewer record than the target, so other records move to earlier pages']],
    [[older({ records: 102 }), older({ records: 102 })], [`the tree has 2 ${FEWER}`]],
    [
      [older({ records: 102 }), older({ records: 103 })],
      [`the tree has 2 ${FEWER}`, `the tree has 3 ${FEWER}`],
    ],
    [[older({ accounts: 22 })], ['the tree has 2 fewer accounts than the target, so other accounts move to earlier pages']],
    [[older({ page_size: 9 })], ['pages hold 10 records instead of 9']],
    [[older({ account_page_size: 4 })], ['pages hold 5 accounts instead of 4']],
  ])('after %j', (trees, gaps) => expect(gapsOf(known(trees))).toEqual(gaps));

  it('are items that move to earlier pages', () => {
    const movement = { data: moved(1, 1, 7), account: moved(1, 2, 3) };
    expect(gapsOf({ ...known([]), movement })).toEqual([
      'records of one page move to earlier pages, the first from page 7',
      'accounts of 2 pages move to earlier pages, the first from page 3',
    ]);
    expect(gapsOf(known([], 1))).toEqual([]);
  });
});
