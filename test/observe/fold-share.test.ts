import { describe, expect, it } from 'vitest';
import { foldShare } from '../../src/observe/fold-share.ts';
import { accountKey, isInShare, partitionOf } from '../../src/observe/partition.ts';

describe('foldShare', () => {
  it('is all accounts if the threads have folded every window', () => {
    for (const threads of [1, 3]) expect(foldShare(threads, 8, 8)).toBe(1);
  });

  it('is half of an equal part for each thread if the merge has to wait', () => {
    expect(foldShare(1, 0, 8)).toBe(1 / 4);
    expect(foldShare(3, 0, 8)).toBe(3 / 8);
  });

  it('grows with the number of windows that are folded', () => {
    const shares = [0, 1, 2, 3, 4].map((folded) => foldShare(2, folded, 4));
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(new Set(shares).size).toBe(shares.length);
  });
});

describe('isInShare', () => {
  const keys = Array.from({ length: 10_000 }, (_, id) => accountKey({ id: String(id), screen_name: undefined }));

  it('selects the same fraction of the accounts of every partition', () => {
    for (const partition of [0, 1, 2]) {
      const own = keys.filter((key) => partitionOf(key, 3) === partition);
      const fraction = own.filter((key) => isInShare(key, 0.75)).length / own.length;
      expect(Math.abs(fraction - 0.75)).toBeLessThan(0.05);
    }
  });

  it('selects all accounts with share 1 and none with share 0, and never drops an account when the share grows', () => {
    const selected = (share: number) => keys.filter((key) => isInShare(key, share));
    expect(selected(1)).toHaveLength(keys.length);
    expect(selected(0)).toHaveLength(0);
    const more = new Set(selected(0.6));
    expect(selected(0.3).filter((key) => !more.has(key))).toHaveLength(0);
  });
});
