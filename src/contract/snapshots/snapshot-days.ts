import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, isTimestamp } from '../instant.ts';
import { isObject } from '../json.ts';
import { arrayOf, orNothing, type Rule, rule } from '../json-shape.ts';

/** Consecutive days in UTC, such as `2023-11-18`. Both days belong to the span. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 10 && value >= '1970' && isTimestamp(`${value}T00:00:00Z`);
const isSpan = (value: unknown): value is DaySpan =>
  isObject(value) && Object.keys(value).length === 2 && isDay(value['from']) && isDay(value['to']) && value['from'] <= value['to'];
const { accepts } = arrayOf('spans', rule('a span', isSpan));

/** The days on which snapshots were observed: spans in order, with a gap between them. Undefined: none is known. */
export const snapshotDays: Rule<readonly DaySpan[] | undefined> = orNothing(
  rule(
    'a sorted array of objects with from and to, days such as "2023-11-18", with a gap between them',
    (value): value is readonly DaySpan[] => accepts(value) && value.length > 0 && isDeepStrictEqual(mergeSpans(value), value),
  ),
);

/** Returns the days of all spans as spans in order, with a gap between them. */
export function mergeSpans(spans: readonly DaySpan[]): readonly DaySpan[] {
  const merged: DaySpan[] = [];
  for (const span of spans.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = merged.at(-1);
    if (last === undefined || span.from > plusDays(last.to, 1)) merged.push({ from: span.from, to: span.to });
    else if (span.to > last.to) merged.splice(-1, 1, { from: last.from, to: span.to });
  }
  return merged;
}

/** Returns the days between spans, also as spans. @param spans in order */
export function gapsBetween(spans: readonly DaySpan[]): readonly DaySpan[] {
  return spans.flatMap(({ to }, index) => {
    const next = spans[index + 1];
    const gap = next && { from: plusDays(to, 1), to: plusDays(next.from, -1) };
    return gap === undefined || gap.from > gap.to ? [] : [gap];
  });
}

export function countDays(spans: readonly DaySpan[]): number {
  return spans.reduce((sum, { from, to }) => sum + Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1, 0);
}

/** Returns the days of spans that are in a month, also as spans. @param month such as `2023-11` */
export function daysInMonth(spans: readonly DaySpan[], month: string): readonly DaySpan[] {
  const [first, last] = [`${month}-01`, `${month}-31`];
  return spans
    .filter(({ from, to }) => from <= last && to >= first)
    .map(({ from, to }) => ({ from: from < first ? first : from, to: to > last ? last : to }));
}

/** Returns the number of days from the last earlier day in spans to a day; undefined if there is none. @param spans in order */
export function daysSinceLast(spans: readonly DaySpan[], day: string): number | undefined {
  const last = spans.findLast(({ from }) => from < day);
  return last && Math.max(1, (Date.parse(day) - Date.parse(last.to)) / DAY_MS);
}

export function hasDay(spans: readonly DaySpan[], day: string): boolean {
  return spans.some(({ from, to }) => from <= day && day <= to);
}
