import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Movement, movementBetween } from '../../src/tree/moved-items.ts';
import type { AccountKey, PageRange, SortKeys } from '../../src/tree/sort-keys.ts';
import { times } from '../support/proof.ts';

/** The content of a tree: ids of records, newest first, and accounts in their order. */
interface Tree {
  readonly ids: readonly number[];
  readonly accounts?: readonly AccountKey[];
  readonly size?: number;
}

function keysOf({ ids, accounts = [], size = 10 }: Tree): SortKeys {
  const ranges: PageRange[] = [];
  for (let start = 0; start < ids.length; start += size) {
    ranges.push({ first: ids[start] ?? 0, last: ids[Math.min(start + size, ids.length) - 1] ?? 0 });
  }
  return { dataPageSize: size, accountPageSize: size, ranges, accounts };
}

const between = (older: Tree, newer: Tree): Movement => movementBetween(keysOf(older), keysOf(newer));
/** Ids in descending order. */
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
const up = (from: number, to: number) => down(to, from).toReversed();
const pagesOf = (leaving: Uint8Array) => [...leaving.keys()].filter((page) => leaving[page] === 1);

describe('the movement of records', () => {
  it.each([
    [100, 103, 1],
    [100, 110, 1],
    [100, 111, 2],
    [3, 8, 0],
  ])('is never forward if %i records become %i', (before, after, shift) => {
    const { data } = between({ ids: down(before, 1) }, { ids: down(after, 1) });
    expect(data).toMatchObject({ forward: 0, shift });
    expect(pagesOf(data.leaving).length > 0).toBe(shift > 0);
  });

  it('is forward if pages become larger, and back if they become smaller', () => {
    expect(between({ ids: down(100, 1) }, { ids: down(100, 1), size: 20 }).data).toMatchObject({ forward: 9, firstForward: 2 });
    expect(between({ ids: down(100, 1) }, { ids: down(100, 1), size: 5 }).data).toMatchObject({ forward: 0, shift: 10 });
  });
});

describe('the movement of accounts', () => {
  const ids: number[] = [];
  it('is forward if an account without records gets its first record', () => {
    const names = up(100, 150).map((number) => `n${number}`);
    const { account } = between({ ids, accounts: [1, 2, 3, ...names] }, { ids, accounts: [1, 2, 3, 4, ...names.slice(0, -1)] });
    expect(account).toMatchObject({ forward: 1, firstForward: 6 });
  });
});

describe('the movement between two random trees', () => {
  const set = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 });

  it('covers the movement of every record', () => {
    fc.assert(
      fc.property(set, set, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (one, other, sizeA, sizeB) => {
        const [a, b] = [one, other].map((ids) => ids.toSorted((x, y) => y - x));
        const { data } = between({ ids: a ?? [], size: sizeA }, { ids: b ?? [], size: sizeB });
        for (const [place, id] of (a ?? []).entries()) {
          const [was, is] = [Math.floor(place / sizeA) + 1, Math.floor((b ?? []).indexOf(id) / sizeB) + 1];
          if (!b?.includes(id)) continue;
          if (is < was) expect(data.forward).toBeGreaterThan(0);
          expect(is - was).toBeLessThanOrEqual(data.shift);
          if (is !== was) expect(data.leaving[was]).toBe(1);
        }
      }),
      { numRuns: times('generated trees', 1000, 20_000) },
    );
  });

  it('covers the movement of every account, also if its first record changes', () => {
    const accounts = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 })), {
      selector: ([before]) => before,
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(accounts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), (pairs, size, kept) => {
        // each account has a key before and a key after; most keep their key
        const moved = pairs.map(([before, after], index) => [before, index < kept ? before : after + 0.5] as const);
        const distinct = moved.filter(([, after], index) => moved.findIndex(([, other]) => other === after) === index);
        const [older, newer] = [0, 1].map((side) => distinct.toSorted((x, y) => (x[side] ?? 0) - (y[side] ?? 0)));
        const keys = (list: typeof older, side: 0 | 1) => (list ?? []).map((pair) => pair[side]);
        const { account } = between({ ids: [], accounts: keys(older, 0), size }, { ids: [], accounts: keys(newer, 1), size });
        for (const [place, pair] of (older ?? []).entries()) {
          const [was, is] = [Math.floor(place / size) + 1, Math.floor((newer ?? []).indexOf(pair) / size) + 1];
          if (is < was) expect(account.forward).toBeGreaterThan(0);
          expect(is - was).toBeLessThanOrEqual(account.shift);
          if (is !== was) expect(account.leaving[was]).toBe(1);
        }
      }),
      { numRuns: times('generated trees', 1000, 20_000) },
    );
  });
});
