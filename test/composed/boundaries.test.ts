import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Boundaries, keyHash } from '../../src/composed/boundaries.ts';

const hashes = fc.oneof(fc.nat({ max: 12 }), fc.nat());
const items = fc.array(fc.record({ hash: hashes, bytes: fc.oneof(fc.constant(5), fc.nat({ max: 60 })) }), { maxLength: 120 });
const rules = fc.record({ distance: fc.integer({ min: 1, max: 20 }), unitBytes: fc.constantFrom(10, 1000, Number.POSITIVE_INFINITY) });

/** The definition, without any state: the indexes of the items that are smaller than all others nearby. */
function expected(list: readonly { hash: number; bytes: number }[], rule: { distance: number; unitBytes: number }): number[] {
  let position = 0;
  const placed = list.map(({ hash, bytes }) => {
    position += Math.max(1, Math.ceil(bytes / rule.unitBytes));
    return { hash, position };
  });
  return placed.flatMap((item, index) =>
    placed.every((other, at) => at === index || Math.abs(other.position - item.position) > rule.distance || other.hash > item.hash)
      ? [index]
      : [],
  );
}

function found(list: readonly { hash: number; bytes: number }[], rule: { distance: number; unitBytes: number }): number[] {
  const boundaries = new Boundaries(rule);
  const clear = list.map(({ hash, bytes }) => boundaries.add(hash, bytes));
  return [...clear, boundaries.end()].filter((index) => index !== -1);
}

describe('the boundaries of a list', () => {
  it('are after the items whose hashes are smaller than all others within the distance', () => {
    fc.assert(
      fc.property(items, rules, (list, rule) => {
        expect(found(list, rule)).toEqual(expected(list, rule));
      }),
      { numRuns: 2000 },
    );
  });

  it('are on average twice the distance apart, and never closer than the distance', () => {
    const list = Array.from({ length: 50_000 }, (_, id) => ({ hash: keyHash(id), bytes: 400 }));
    const boundaries = found(list, { distance: 100, unitBytes: 1024 });
    const gaps = boundaries.slice(1).map((boundary, index) => boundary - (boundaries[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(100);
    expect(Math.max(...gaps)).toBeLessThan(700);
    expect(50_000 / boundaries.length).toBeGreaterThan(180);
    expect(50_000 / boundaries.length).toBeLessThan(230);
  });
});

describe('keyHash', () => {
  it('spreads consecutive ids, large ids and names evenly', () => {
    const keys = [
      Array.from({ length: 4000 }, (_, id) => id),
      Array.from({ length: 4000 }, (_, id) => 2 ** 52 + id),
      Array.from({ length: 4000 }, (_, id) => id * 2 ** 33),
      Array.from({ length: 4000 }, (_, id) => `user_${id}`),
    ];
    for (const list of keys) {
      const low = list.filter((key) => keyHash(key) < 2 ** 31).length;
      expect(Math.abs(low - 2000)).toBeLessThan(200);
      expect(new Set(list.map(keyHash)).size).toBeGreaterThan(3990);
    }
  });
});
