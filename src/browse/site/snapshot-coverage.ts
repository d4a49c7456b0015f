import { countDays, type DaySpan, gapsBetween, hasDay } from '../../contract/snapshots/snapshot-days.ts';
import { dateMarkup } from '../dates.ts';
import { joined, type Markup, markup, numberMarkup } from '../markup.ts';

/** The greatest number of gaps that are listed. */
const MAX_LISTED = 12;

/**
 * Says how complete a history is: which days have snapshots, as far as this is known.
 * @param spans the days with snapshots, in order
 * @param recordDays the days with records, newest first
 */
export function completeness(spans: readonly DaySpan[], recordDays: readonly string[]): Markup {
  const snapshotDay = spans.at(-1)?.to ?? '';
  const last = [snapshotDay, recordDays[0] ?? ''].toSorted().at(-1) ?? '';
  if (last === '') return markup`<p>There are no records yet.</p>\n`;
  const known =
    spans.length === 0
      ? ''
      : markup`<p>${snapshotsOf(spans)}${gapsOf(gapsBetween(spans))} An account need not have a snapshot on each of these days.</p>\n`;
  const others = recordDays.filter((day) => !hasDay(spans, day)).length;
  return markup`${known}${importedOn(others, spans.length > 0)}<p>This copy has nothing newer than ${dateMarkup(last)}.</p>\n`;
}

function snapshotsOf(spans: readonly DaySpan[]): Markup {
  const [days, first, last] = [countDays(spans), spans[0]?.from ?? '', spans.at(-1)?.to ?? ''];
  return days === 1
    ? markup`This history has snapshots of one day: ${dateMarkup(first)}.`
    : markup`This history has snapshots of ${numberMarkup(days)} days. The first is ${dateMarkup(first)}, the last is ${dateMarkup(last)}.`;
}

/** Returns the days without snapshots. Of many gaps, only the longest are listed. */
function gapsOf(gaps: readonly DaySpan[]): Markup | '' {
  if (gaps.length === 0) return '';
  const days = countDays(gaps);
  const missing = markup` ${numberMarkup(days)} ${days === 1 ? 'day' : 'days'} between them ${days === 1 ? 'has' : 'have'} no snapshots`;
  const listed = new Set(gaps.toSorted((one, other) => countDays([other]) - countDays([one])).slice(0, MAX_LISTED));
  const shown = gaps.filter((gap) => listed.has(gap));
  const list = joined(shown.map((gap, index) => markup`${index === 0 ? '' : ', '}${spanMarkup(gap)}`));
  return listed.size === gaps.length
    ? markup`${missing}: ${list}.`
    : markup`${missing}, in ${numberMarkup(gaps.length)} gaps. The ${MAX_LISTED} longest gaps: ${list}.`;
}

/** Returns `3 November 2023 to 19 November 2023`. */
export function spanMarkup({ from, to }: DaySpan): Markup {
  return from === to ? dateMarkup(from) : markup`${dateMarkup(from)} to ${dateMarkup(to)}`;
}

/** Says that the days with snapshots are unknown for imported records. @param days the number of days with such records */
function importedOn(days: number, areOther: boolean): Markup | '' {
  if (days === 0) return '';
  const which = areOther ? markup`The records of ${numberMarkup(days)} other ${days === 1 ? 'day' : 'days'}` : markup`The records`;
  return markup`<p>${which} were imported. It is not known on which days their source had snapshots.</p>\n`;
}
