import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BloomFilter, bloomBytes } from '../../src/verify/pages/bloom-filter.ts';
import { hostileText } from '../support/histories.ts';

describe('BloomFilter', () => {
  test.each([0, 300, 2_000_000])('recognizes every name that was added, if %i names are expected', (expected) => {
    const names = BloomFilter.for(expected);
    fc.assert(
      fc.property(fc.array(fc.oneof(hostileText, fc.string({ unit: 'binary' }))), (some) => {
        for (const name of some) names.add(name);
        expect(some.filter((name) => !names.add(name))).toEqual([]);
      }),
    );
  });

  test.each([0, 1000, 200_000])('takes at most one of %i new names for a known one', (count) => {
    const names = BloomFilter.for(count);
    const all = Array.from({ length: count }, (_, n) => `user${n}`);
    expect(all.filter((name) => names.add(name)).length).toBeLessThanOrEqual(1);
  });

  test('has at least 16 bytes for each expected name, and at most 16 MB', () => {
    expect([0, 300, 300_000, 1 << 20, 1e9].map(bloomBytes)).toEqual([4096, 8192, 1 << 23, 1 << 24, 1 << 24]);
  });
});
