import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountParts } from '../../src/browse/account-parts.ts';

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

describe('the pages of an account', () => {
  it('have every record once, in order', () => {
    fc.assert(
      fc.property(sizes, (records) => {
        const parts = accountParts(records);
        const found = parts.flatMap(({ first, last }) => records.filter(({ id }) => id >= first && id <= last).map(({ id }) => id));
        expect(found).toEqual(records.map(({ id }) => id));
      }),
    );
  });

  it('never change when a newer record comes, except the main page', () => {
    fc.assert(
      fc.property(sizes, fc.nat(399), (records, count) => {
        const earlier = accountParts(records.slice(0, Math.max(1, count)));
        expect(accountParts(records).slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
      }),
    );
  });

  it('have at most 50 records, and the main page from 50 to 99 if there are others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const parts = accountParts(Array.from({ length: count }, (_, id) => ({ id, bytes: 400 })));
        const counts = parts.map(({ first, last }) => last - first + 1);
        expect(counts.slice(0, -1).every((records) => records === 50)).toBe(true);
        expect(counts.at(-1)).toBeLessThan(100);
        if (counts.length > 1) expect(counts.at(-1)).toBeGreaterThanOrEqual(50);
      }),
    );
  });
});
