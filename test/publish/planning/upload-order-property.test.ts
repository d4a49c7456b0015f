import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderPages } from '../../../src/publish/planning/upload-order.ts';
import { times } from '../../support/proof.ts';
import { missed, type Page, type Phase, paged } from './simulated-readers.ts';

interface Case {
  readonly before: number;
  readonly added: readonly number[];
  readonly size: number;
  readonly concurrency: number;
  readonly seed: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  before: fc.integer({ min: 1, max: 600 }),
  // the position of each new record in the feed: mostly at the top
  added: fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  ),
  size: fc.integer({ min: 1, max: 12 }),
  concurrency: fc.integer({ min: 1, max: 40 }),
  seed: fc.integer(),
});

function feeds({ before, added, size }: Case): { readonly old: Page[]; readonly young: Page[]; readonly shift: number } {
  const records = Array.from({ length: before }, (_, index) => before - index);
  const grown = [...records];
  for (const [index, place] of added.entries()) grown.splice(Math.floor((1 - place) * grown.length), 0, -1 - index);
  return { old: paged(records, size), young: paged(grown, size), shift: Math.ceil(added.length / size) };
}

/** The integers from `from` up to, but not including, `to`. */
function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

const single = (pages: readonly number[], isOverlap: boolean): Phase => pages.map((page) => [{ page, isOverlap }]);

describe('the order of pages', () => {
  it('lets no reader miss a record, in any completion order and after a stop at any point', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { old, young, shift } = feeds(one);
        const moving = numbers(1, old.length).toReversed();
        const still = numbers(old.length, young.length);
        const order = orderPages(moving, shift, one.concurrency);
        const phases = [
          single(still, false),
          single(order.overlaps, true),
          order.runs.map((run) => run.map((page) => ({ page, isOverlap: false }))),
        ];
        expect(missed(old, young, phases, one.concurrency, one.seed)).toBe(0);
        expect(order.runs.flat().toSorted((a, b) => b - a)).toEqual(moving);
      }),
      { numRuns: times('orders of pages', 100, 2000) },
    );
  });

  it('writes few pages twice if few records are new', () => {
    const moving = Array.from({ length: 10_000 }, (_, index) => 10_000 - index);
    const order = orderPages(moving, 1, 32);
    expect(order.runs).toHaveLength(32);
    expect(order.overlaps).toHaveLength(31);
  });

  it('writes a small feed one page after another', () => {
    expect(orderPages([3, 2, 1], 1, 32)).toEqual({ overlaps: [], runs: [[3, 2, 1]] });
  });

  it('writes all pages twice if records move far', () => {
    expect(orderPages([3, 2, 1], 2, 32)).toEqual({ overlaps: [3, 2], runs: [[3], [2], [1]] });
  });

  it.each([
    [100, 2, 32, 1],
    [100, 2, 1, 1],
    [99, 2, 32, 99],
    [99, 2, 1, 1],
    [400, 4, 32, 2],
    [1000, 2, 32, 10],
  ])('divides %i pages, from which records move up to %i back, for %i requests into %i runs', (pages, shift, concurrency, runs) => {
    const moving = numbers(1, pages + 1).toReversed();
    expect(orderPages(moving, shift, concurrency).runs).toHaveLength(runs);
  });
});
