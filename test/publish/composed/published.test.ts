import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Published } from '../../../src/composed/head.ts';
import { settledGeneration, withPublish } from '../../../src/publish/composed/published.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-11-22T03:00:00Z');

/** Publishes and rollbacks: the milliseconds since the last one, and by how many generations it goes forward or back. */
const steps = fc.array(
  fc.record({ after: fc.oneof(fc.nat({ max: HOUR * 2 }), fc.nat({ max: DAY * 3 })), by: fc.constantFrom(1, 1, 1, 2, -1, -3) }),
  { maxLength: 80 },
);

describe('the publishes in the head of a target', () => {
  it('show no generation as settled before which a reader of the last day began', () => {
    fc.assert(
      fc.property(steps, (list) => {
        let [now, generation, published]: [number, number, readonly Published[]] = [START, 5, withPublish([], 5, START)];
        const seen = [{ generation, from: now, to: Number.POSITIVE_INFINITY }];
        for (const { after, by } of list) {
          now += after;
          const present = seen.filter(({ to }) => to > now - DAY).map((one) => one.generation);
          expect(settledGeneration(published, now)).toBeLessThanOrEqual(Math.min(...present));
          generation = Math.max(1, generation + by);
          const last = seen.at(-1);
          if (last !== undefined) last.to = now;
          seen.push({ generation, from: now, to: Number.POSITIVE_INFINITY });
          published = withPublish(published, generation, now);
          expect(published.length).toBeLessThanOrEqual(26);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('show the publish of two nights ago as settled', () => {
    let published: readonly Published[] = [];
    for (let night = 1; night <= 10; night += 1) published = withPublish(published, night, START + night * (DAY - 60_000));
    expect(published.map(({ generation }) => generation)).toEqual([8, 9, 10]);
    expect(settledGeneration(published, START + 11 * DAY - HOUR)).toBe(9);
  });

  it('do not count if they are in the future, because a clock was wrong', () => {
    const wrong = withPublish([], 7, START + 400 * DAY);
    expect(settledGeneration(wrong, START)).toBe(0);
    expect(withPublish(wrong, 8, START)).toEqual([{ generation: 8, time: '2026-11-22T03:00:00.000Z' }]);
  });
});
