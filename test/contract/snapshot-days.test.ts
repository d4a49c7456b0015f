import { expect, it } from 'vitest';
import { countDays, type DaySpan, gapsBetween, hasDay, mergeSpans, snapshotDays } from '../../src/contract/snapshots/snapshot-days.ts';

/** Returns a span of days of 2024: `02-28` or `02-28..03-01`. */
const span = (text: string): DaySpan => {
  const [from = '', to = from] = text.split('..');
  return { from: `2024-${from}`, to: `2024-${to}` };
};
const spans = (...texts: readonly string[]) => texts.map(span);

it.each([
  [[], [], 0, []],
  [['03-05'], ['03-05'], 1, []],
  [['03-05', '03-05'], ['03-05'], 1, []],
  [['02-29', '03-01', '02-28'], ['02-28..03-01'], 3, []],
  [['01-01..01-09', '01-03..01-04', '01-12'], ['01-01..01-09', '01-12'], 10, ['01-10..01-11']],
  [['12-31', '01-01', '12-29'], ['01-01', '12-29', '12-31'], 3, ['01-02..12-28', '12-30']],
])('the days %j are the spans %j, with %i days and the gaps %j', (days, joined, count, gaps) => {
  expect(mergeSpans(spans(...days))).toEqual(spans(...joined));
  expect(mergeSpans(spans(...days.toReversed(), ...joined))).toEqual(spans(...joined));
  expect([countDays(spans(...joined)), gapsBetween(spans(...joined))]).toEqual([count, spans(...gaps)]);
  expect(days.every((day) => hasDay(spans(...joined), span(day).from))).toBe(true);
  expect(gaps.some((day) => hasDay(spans(...joined), span(day).from))).toBe(false);
});

it.each<[accepted: boolean, value: unknown]>([
  [true, undefined],
  [true, spans('02-28..02-29', '03-02')],
  [false, []],
  [false, spans('03-02', '02-28')],
  [false, spans('02-28', '02-29')],
  [false, spans('03-02..03-01')],
  [false, spans('02-30')],
  [false, [{ ...span('03-01'), at: 1 }]],
  [false, [{ from: '1969-12-31', to: '1969-12-31' }]],
])('a list of spans is accepted (%s) only if it is sorted and has a gap between two spans: %j', (accepted, value) => {
  expect(snapshotDays.accepts(value)).toBe(accepted);
});
