import { describe, expect, it } from 'vitest';
import { number, plural, seconds, size } from '../../src/contract/amounts.ts';

describe('numbers', () => {
  it('are grouped by thousands', () => {
    const groups = ['0', '999', '1,000', '12,345', '9,007,199,254,740,991'];
    expect([0, 999, 1000, 12_345, 9_007_199_254_740_991].map(number)).toEqual(groups);
  });

  it('of bytes have the unit that fits', () => {
    const sizes = ['0 bytes', '1 byte', '999 bytes', '1.0 kB', '9.9 kB', '97 kB', '999 kB', '1.0 MB', '807 MB', '3.4 GB'];
    expect([0, 1, 999, 1000, 9_940, 97_130, 999_499, 1e6, 806_700_000, 3.4e9].map(size)).toEqual(sizes);
  });

  it('of milliseconds are seconds, and minutes from a minute on', () => {
    const times = ['0.0 s', '12.3 s', '59.9 s', '1 min 0 s', '1 min 0 s', '2 min 0 s', '60 min 0 s'];
    expect([40, 12_340, 59_949, 59_950, 60_000, 119_700, 3_600_000].map(seconds)).toEqual(times);
  });
});

it.each([
  [0, '0 records'],
  [1, '1 record'],
  [999, '999 records'],
  [1000, '1,000 records'],
  [1_234_567, '1,234,567 records'],
])('%i has its separators and its plural', (count, text) => expect(plural(count, 'record')).toBe(text));
