import { loadSite } from './citation.ts';
import type { DaySpan } from './citation-formats.ts';
import { allChanges, dayOf, endDays, firstDayOf, isMainPage, seenBefore, shownDay, sortedDays } from './page-elements.ts';

/** Consecutive days on which the history can know a profile. */
export interface KnownDays extends DaySpan {
  /** What is known of the last one, such as `from`. Without it, the account can have been absent on all of these days. */
  readonly seen?: string;
}

/** The last day up to a chosen one on which the history can know the profile. */
interface LastDay {
  readonly day: string;
  /** When a source showed the profile, as readers see it: such as `from 5 March 2024`. */
  readonly seen: string;
}

/** An account that was seen lately was seen at most 10 days, in milliseconds, before the newest snapshot. */
const LATELY = 864e6;

/** Returns the day of the newest snapshot of the account; '' if this page does not say it. */
export function lastKnown(): string {
  return firstDayOf(document.querySelector('[data-last-known]'));
}

/**
 * Returns the days with snapshots that can show the account, up to the day on which it was last seen, or to the first one that can be that
 * day. If the account was never observed, its main page has no note about snapshots, and the page of a part has no change interval.
 */
export async function knownDays(): Promise<readonly KnownDays[]> {
  const interval = '.note time, .entry:not(:has(.H)) h3 time ~ time';
  if (document.querySelector(isMainPage() ? '[data-last-known], [data-seen-lately]' : interval) === null) return [];
  const { snapshot_days: days = [] } = await loadSite();
  if (!isMainPage()) return days;
  const until = (last: string, seen: string) => [...days.filter(({ from }) => from < last), { from: last, to: last, seen }];
  if (lastKnown() !== '') return until(lastKnown(), 'from');
  const { newest } = endDays();
  const end = days.at(-1)?.to ?? newest;
  const first = new Date(Date.parse(end) - LATELY).toISOString().slice(0, 10);
  const from = days.find(({ to }) => to >= first)?.from ?? '';
  const last = [newest, first, from].sort()[2] ?? '';
  return until(last, last < end ? 'seen on or after' : 'from');
}

/** Adds the dates to the note about an account that was seen lately. The page does not have them, because then it would change each night. */
export async function addLastSeen(): Promise<void> {
  const place = document.querySelector('[data-seen-lately]');
  if (place === null) return;
  const from = (await knownDays()).at(-1)?.from;
  const newest = window.palimpsestSite?.snapshot_days?.at(-1)?.to;
  if (!from || !newest) return;
  const day = from === newest ? `On ${shownDay(from)}` : `Between ${shownDay(from)} and ${shownDay(newest)}`;
  place.firstChild?.replaceWith(`${day}, the day of `);
}

/**
 * Returns the last day up to a day on which the history can know the profile. A source showed the account on the day itself only if
 * `seen` is `from` and this day.
 */
export function lastDay(day: string, known: readonly KnownDays[]): LastDay {
  const shown = sortedDays(allChanges()).findLast((each) => each <= day) ?? '';
  // no snapshot between the two days of a change has the account
  const before = allChanges()
    .filter((change) => dayOf(change) > day)
    .map(seenBefore)
    .find((each) => each >= shown && each <= day);
  const { to = '', seen } = known.findLast(({ from }) => from <= day) ?? {};
  const last = to < day ? to : day;
  const isShown = shown === day || last < shown || (last === shown && seen === undefined);
  const exact = before || (isShown && shown);
  if (exact) return { day: exact, seen: `from ${shownDay(exact)}` };
  return { day: last, seen: seen === undefined ? `from ${shownDay(last)} or earlier` : `${seen} ${shownDay(last)}` };
}
