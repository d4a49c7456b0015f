import type { FeedDay } from '../store/feed-days.ts';

/** A month with changes. */
export interface Month {
  /** Such as `2024-03`. */
  readonly month: string;
  readonly records: number;
  /** Newest first. */
  readonly days: readonly FeedDay[];
}

/** Groups days by month. @param days newest first @returns newest first */
export function monthsOf(days: readonly FeedDay[]): readonly Month[] {
  const months: { month: string; records: number; days: FeedDay[] }[] = [];
  for (const day of days) {
    const month = day.date.slice(0, 7);
    let last = months.at(-1);
    if (last?.month !== month) {
      last = { month, records: 0, days: [] };
      months.push(last);
    }
    last.records += day.records;
    last.days.push(day);
  }
  return months;
}
