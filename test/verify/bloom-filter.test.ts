import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BloomFilter } from '../../src/verify/bloom-filter.ts';
import { hostileText } from '../support/histories.ts';

describe('BloomFilter', () => {
  test('recognizes every name that was added', () => {
    const names = new BloomFilter();
    fc.assert(
      fc.property(fc.array(fc.oneof(hostileText, fc.string({ unit: 'binary' }))), (some) => {
        for (const name of some) names.add(name);
        expect(some.filter((name) => !names.add(name))).toEqual([]);
      }),
    );
  });

  test('takes at most one of 200,000 new names for a known one', () => {
    const names = new BloomFilter();
    const all = Array.from({ length: 200_000 }, (_, n) => `user${n}`);
    expect(all.filter((name) => names.add(name)).length).toBeLessThanOrEqual(1);
  });
});
