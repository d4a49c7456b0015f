import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeepPolicy, keptVersions } from '../../src/versions/retention.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** Versions at some times, ascending. */
const versions = fc
  .array(fc.integer({ min: NOW - 900 * DAY, max: NOW }), { minLength: 1, maxLength: 40 })
  .map((times) => times.toSorted((one, other) => one - other).map((time) => ({ time: new Date(time).toISOString() })));
const policy: fc.Arbitrary<KeepPolicy> = fc.record(
  {
    last: fc.integer({ min: 1, max: 50 }),
    within: fc.integer({ min: 1, max: 400 }).map((days) => days * DAY),
    daily: fc.integer({ min: 1, max: 50 }),
    monthly: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: [] },
);

describe('a policy', () => {
  it('keeps the current version, those that were current in the last day, and an order', () => {
    fc.assert(
      fc.property(versions, policy, (all, rules) => {
        const kept = keptVersions(all, rules, NOW, NOW - DAY);
        expect(kept).toEqual(all.filter((one) => kept.includes(one)));
        expect(kept.at(-1)).toBe(all.at(-1));
        const recent = all.filter((_, index) => Date.parse(all[index + 1]?.time ?? '9999-12-31') >= NOW - DAY);
        for (const one of recent) expect(kept).toContain(one);
      }),
    );
  });

  it('keeps the state of every moment within the time', () => {
    fc.assert(
      fc.property(versions, fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), (all, days, share) => {
        const kept = keptVersions(all, { within: days * DAY }, NOW, NOW - DAY);
        const moment = NOW - share * days * DAY;
        const at = (list: typeof all) => list.findLast(({ time }) => Date.parse(time) <= moment);
        expect(at([...kept])).toBe(at(all));
      }),
    );
  });

  it('keeps the last version of each of the newest days and months that have versions', () => {
    fc.assert(
      fc.property(versions, policy, (all, rules) => {
        const kept = keptVersions(all, rules, NOW, NOW - DAY);
        for (const [digits, most] of [
          [10, rules.daily],
          [7, rules.monthly],
        ] as const) {
          const periods = [...new Set(all.map(({ time }) => time.slice(0, digits)))].slice(-(most ?? 0));
          if (most === undefined) continue;
          for (const period of periods) expect(kept).toContain(all.findLast(({ time }) => time.startsWith(period)));
        }
      }),
    );
  });

  it('of days keeps what it would keep with a right clock, in nights with a clock in the future and in the night after them', () => {
    const nights = Array.from({ length: 30 }, (_, night) => ({ time: new Date(NOW - (30 - night) * DAY).toISOString() }));
    const future = Date.parse('2034-01-01T00:00:00.000Z');
    const wrong = [...nights, { time: new Date(future).toISOString() }];
    expect(keptVersions(wrong, { within: 20 * DAY }, future, future - DAY).length).toBeGreaterThan(20);
    // also if the clock is ahead for several nights, by less than the period
    for (const ahead of [future, NOW + 15 * DAY]) {
      const many = [...nights, ...[0, 1, 2].map((night) => ({ time: new Date(ahead + night * DAY).toISOString() }))];
      expect(keptVersions(many, { within: 20 * DAY }, ahead + 2 * DAY, ahead + DAY).length).toBeGreaterThan(20);
    }
    const after = [...wrong, { time: new Date(future).toISOString() }];
    expect(keptVersions(after, { within: 20 * DAY }, NOW + DAY, future - DAY).length).toBeGreaterThan(20);
  });

  it('of days deletes the others of a job that runs less often than that', () => {
    const weeks = Array.from({ length: 30 }, (_, week) => ({ time: new Date(NOW - (30 - week) * 7 * DAY).toISOString() }));
    expect(keptVersions(weeks, { within: 3 * DAY }, NOW, NOW - DAY)).toHaveLength(3);
  });

  it('deletes the others', () => {
    const nights = Array.from({ length: 100 }, (_, night) => ({ time: new Date(NOW - (100 - night) * DAY).toISOString() }));
    // ten days before the version before the newest, which is two days old
    expect(keptVersions(nights, { within: 10 * DAY }, NOW, NOW - DAY)).toHaveLength(13);
    expect(keptVersions(nights, { daily: 7 }, NOW, NOW - DAY)).toHaveLength(7);
    expect(keptVersions(nights, { last: 14 }, NOW, NOW - DAY)).toEqual(nights.slice(-14));
    expect(keptVersions(nights, { last: 1 }, NOW, undefined)).toEqual(nights.slice(-1));
    expect(keptVersions(nights, { daily: 7, monthly: 12 }, NOW, NOW - DAY).map(({ time }) => time.slice(0, 10))).toEqual([
      '2025-11-30',
      '2025-12-31',
      '2026-01-31',
      '2026-02-22',
      '2026-02-23',
      '2026-02-24',
      '2026-02-25',
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
    ]);
  });
});
