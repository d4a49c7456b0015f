import { type DaySpan, daysInMonth, gapsBetween, hasDay, plusDays } from '../../contract/snapshots/snapshot-days.ts';
import type { Month } from './months.ts';

/** Whether a history is known to have no snapshot of a month, such as `2024-03`. */
export type IsUnseen = (month: string) => boolean;

/**
 * Returns which months between the first and the last snapshot have none. Nothing is known about the months of imported records and
 * those between them, because it is not known on which days their source had snapshots.
 * @param spans the days with snapshots, in order; empty: none is known
 * @param months those with records or renames, newest first
 */
export function unseenMonths(spans: readonly DaySpan[], months: readonly Month[]): IsUnseen {
  const imported = months.filter(({ month, days }) => !haveSnapshots(days, daysInMonth(spans, month)));
  const [first = '', last = ''] = [imported.at(-1)?.month, imported[0]?.month];
  return (month) => {
    if (month >= first && month <= last) return false;
    const { snapshots, gaps } = monthSnapshots(spans, month);
    return snapshots.length === 0 && gaps.length > 0;
  };
}

/** The snapshots of a month. */
export interface MonthSnapshots {
  /** The days of the month with snapshots, in order. */
  readonly snapshots: readonly DaySpan[];
  /** The gaps between snapshots that overlap the month or end on the day before it, uncut and in order. */
  readonly gaps: readonly DaySpan[];
}

/** @param spans all days with snapshots, in order; empty: none is known */
export function monthSnapshots(spans: readonly DaySpan[], month: string): MonthSnapshots {
  const [first, last] = [plusDays(`${month}-01`, -1), `${month}-31`];
  return { snapshots: daysInMonth(spans, month), gaps: gapsBetween(spans).filter(({ from, to }) => from <= last && to >= first) };
}

/**
 * Whether snapshots are the source of all records of a month.
 * @param days of the month with records
 * @param spans the days of the month with snapshots
 */
export function haveSnapshots(days: Month['days'], spans: readonly DaySpan[]): boolean {
  return spans.length > 0 && days.every(({ date }) => hasDay(spans, date));
}
