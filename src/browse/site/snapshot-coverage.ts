import { type DaySpan, daysIn, gapsIn, hasDay } from '../../contract/snapshots/snapshot-days.ts';
import { dateMarkup } from '../dates.ts';
import { joined, type Markup, markup, numberMarkup } from '../markup.ts';

/** The number of gaps that are listed. */
const LISTED = 12;

/**
 * Returns how complete a history is: which days have snapshots, as far as it is known.
 * @param spans the days with snapshots, by time
 * @param recordDays the days with records, newest first
 */
export function completeness(spans: readonly DaySpan[], recordDays: readonly string[]): Markup {
  const snapshotDay = spans.at(-1)?.to ?? '';
  const last = [snapshotDay, recordDays[0] ?? ''].toSorted().at(-1) ?? '';
  if (last === '') return markup`<p>There are no records yet.</p>\n`;
  const known = spans.length === 0 ? '' : markup`<p>${snapshotsOf(spans)}${gapsOf(gapsIn(spans))} A snapshot can lack accounts.</p>\n`;
  const others = recordDays.filter((day) => !hasDay(spans, day)).length;
  return markup`${known}${importedOn(others, spans.length > 0)}<p>This copy has what was known on ${dateMarkup(last)}.</p>\n`;
}

function snapshotsOf(spans: readonly DaySpan[]): Markup {
  const [days, first, last] = [daysIn(spans), spans[0]?.from ?? '', spans.at(-1)?.to ?? ''];
  return days === 1
    ? markup`This history has snapshots of one day: ${dateMarkup(first)}.`
    : markup`This history has snapshots of ${numberMarkup(days)} days between ${dateMarkup(first)} and ${dateMarkup(last)}.`;
}

/** Returns the days without snapshots; of many gaps, the longest. */
function gapsOf(gaps: readonly DaySpan[]): Markup | '' {
  if (gaps.length === 0) return '';
  const days = daysIn(gaps);
  const missing = markup` ${numberMarkup(days)} ${days === 1 ? 'day in between has' : 'days in between have'} none`;
  const listed = new Set(gaps.toSorted((one, other) => daysIn([other]) - daysIn([one])).slice(0, LISTED));
  const shown = gaps.filter((gap) => listed.has(gap));
  const list = joined(shown.map((gap, index) => markup`${index === 0 ? '' : ', '}${spanMarkup(gap)}`));
  return listed.size === gaps.length
    ? markup`${missing}: ${list}.`
    : markup`${missing}, in ${numberMarkup(gaps.length)} gaps. The ${LISTED} longest: ${list}.`;
}

function spanMarkup({ from, to }: DaySpan): Markup {
  return from === to ? dateMarkup(from) : markup`${dateMarkup(from)} to ${dateMarkup(to)}`;
}

/** Says that the source of records does not say which days have snapshots. @param days the number of days with such records */
function importedOn(days: number, areOther: boolean): Markup | '' {
  if (days === 0) return '';
  const which = areOther ? markup`Records of ${numberMarkup(days)} other ${days === 1 ? 'day' : 'days'}` : markup`The records`;
  return markup`<p>${which} were imported. It is not known on which days their source had snapshots.</p>\n`;
}
