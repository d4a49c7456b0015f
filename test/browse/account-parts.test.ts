import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountPart, accountParts, olderParts, partOfRecord, partsWithPage } from '../../src/browse/accounts/account-parts.ts';

const sizes = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 9 }), bytes: fc.oneof(fc.nat(900), fc.nat(60_000)) }), {
    minLength: 1,
    maxLength: 400,
    size: 'max',
  })
  .map((list) => {
    let id = 0;
    return list.map(({ gap, bytes }) => {
      id += gap;
      return { id, bytes };
    });
  });

/** Returns the parts of records of 400 bytes with the ids from 0. */
const partsOfCount = (count: number) => accountParts(Array.from({ length: count }, (_, id) => ({ id, bytes: 400 })));
const countOf = (parts: readonly AccountPart[]) => parts.reduce((sum, { first, last }) => sum + last - first + 1, 0);

describe('the parts of an account', () => {
  it('have every record once, in order, and each record is found in its part', () => {
    fc.assert(
      fc.property(sizes, (records) => {
        const parts = accountParts(records);
        const found = parts.flatMap(({ first, last }) => records.filter(({ id }) => id >= first && id <= last).map(({ id }) => id));
        expect(found).toEqual(records.map(({ id }) => id));
        const isInItsPart = ({ id }: { readonly id: number }) => {
          const { first = Infinity, last = -1 } = parts[partOfRecord(parts, id) - 1] ?? {};
          return first <= id && id <= last;
        };
        expect(records.every(isInItsPart)).toBe(true);
      }),
    );
  });

  it('never change when a newer record comes, except the last one, and no record moves to another part', () => {
    fc.assert(
      fc.property(sizes, fc.nat(399), (records, count) => {
        const before = records.slice(0, Math.max(1, count));
        const [earlier, later] = [accountParts(before), accountParts(records)];
        expect(later.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
        expect(before.map(({ id }) => partOfRecord(later, id))).toEqual(before.map(({ id }) => partOfRecord(earlier, id)));
      }),
    );
  });

  it('have at most 50 records, and the main page has from 51 to 100 if it does not show all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const parts = partsOfCount(count);
        const older = olderParts(parts);
        expect(parts.slice(0, -1).every((part) => countOf([part]) === 50)).toBe(true);
        expect(count - countOf(older)).toBeLessThanOrEqual(100);
        if (older.length > 0) expect(count - countOf(older)).toBeGreaterThan(50);
      }),
    );
  });

  it('have a page, except the first one as long as the main page shows it', () => {
    const pages = [1, 51, 100, 101, 151].map((count) => partsWithPage(partsOfCount(count)).join());
    expect(pages).toEqual(['', '2', '2', '1,2,3', '1,2,3,4']);
  });
});
