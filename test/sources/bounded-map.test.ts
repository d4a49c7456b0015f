import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedMap } from '../../src/sources/bounded-map.ts';

/** Returns the numbers below a limit that a map has. */
function keysOf(map: BoundedMap<number, string>, below: number): number[] {
  return Array.from({ length: below }, (_, key) => key).filter((key) => map.get(key) !== undefined);
}

it('evicts the entries that were added first, until an eighth of the capacity is free', () => {
  const map = new BoundedMap<number, string>(16);
  for (let key = 0; key < 17; key += 1) map.set(key, `${key}`, 1);
  expect(keysOf(map, 17)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
});

it('keeps an entry that was used once more, and then evicts it', () => {
  const map = new BoundedMap<string, number>(16);
  map.set('used', 1, 1);
  expect(map.get('used')).toBe(1);
  for (let key = 0; key < 16; key += 1) map.set(`first ${key}`, key, 1);
  for (let key = 0; key < 14; key += 1) map.set(`second ${key}`, key, 1);
  expect(map.get('first 0')).toBeUndefined();
  expect(map.get('used')).toBe(1);
  for (let key = 0; key < 40; key += 1) map.set(`third ${key}`, key, 1);
  expect(map.get('used')).toBeUndefined();
});

it('returns the last value of a key or nothing, and never holds more than its capacity', () => {
  const step = fc.record({ key: fc.nat(20), weight: fc.integer({ min: 1, max: 8 }), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = new BoundedMap<number, number>(32);
      const last = new Map<number, { value: number; weight: number }>();
      for (const [value, { key, weight, isRead }] of steps.entries()) {
        if (isRead) {
          expect([undefined, last.get(key)?.value]).toContain(map.get(key));
        } else {
          map.set(key, value, weight);
          last.set(key, { value, weight });
        }
      }
      const held = [...last].filter(([key]) => map.get(key) !== undefined);
      expect(held.reduce((sum, [, { weight }]) => sum + weight, 0)).toBeLessThanOrEqual(32);
    }),
    { numRuns: 1000 },
  );
});
