import { describe, expect, it } from 'vitest';
import { Digests } from '../../src/tree/digests.ts';

describe('the digests of two trees', () => {
  it.each([...Array(32).keys()])('are not equal in a slot if byte %i of its digest differs', (place) => {
    const [one, other] = [new Digests(2), new Digests(2)];
    const digest = Buffer.alloc(32, 7);
    one.set(1, digest);
    other.set(1, digest);
    expect(one.equals(other, 1)).toBe(true);
    digest[place] = 8;
    other.set(1, digest);
    expect([0, 1, 2].map((slot) => one.equals(other, slot))).toEqual([true, false, true]);
  });
});
