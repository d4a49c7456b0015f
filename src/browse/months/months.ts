import { dateOf } from '../../contract/instant.ts';
import { type DaySpan, daysInMonth } from '../../contract/snapshots/snapshot-days.ts';
import type { FeedDay } from '../../store/feed/feed-days.ts';
import type { Rename } from '../accounts/renames.ts';
import { MONTHS, monthAndYear, type WEEKDAYS } from '../dates.ts';
import { countsMarkup, joined, type Markup, markup, numberMarkup, type RecordCounts, trusted } from '../markup.ts';
import { monthPage } from '../paths.ts';
import type { IsUnseen } from './unseen-months.ts';

/** A month with records or renames. */
export interface Month extends RecordCounts {
  /** Such as `2024-03`. */
  readonly month: string;
  /** Those with records, newest first. */
  readonly days: readonly FeedDay[];
}

/** Groups days by month. @param days newest first @returns newest first */
export function monthsOf(days: readonly FeedDay[], allRenames: readonly Rename[]): readonly Month[] {
  const renames = renamesByDate(allRenames);
  const months: { month: string; changes: number; renames: number; first_values: number; days: FeedDay[] }[] = [];
  for (const day of days) {
    const month = day.date.slice(0, 7);
    let last = months.at(-1);
    if (last?.month !== month) {
      last = { month, changes: 0, renames: renames.get(month) ?? 0, first_values: 0, days: [] };
      months.push(last);
    }
    last.changes += day.changes;
    last.first_values += day.first_values;
    last.days.push(day);
  }
  const known = new Set(months.map(({ month }) => month));
  for (const [month, count] of renames) {
    const isOther = month.length === 'yyyy-mm'.length && !known.has(month);
    if (isOther) months.push({ month, changes: 0, renames: count, first_values: 0, days: [] });
  }
  return months.sort((one, other) => (one.month < other.month ? 1 : -1));
}

/** Returns the address of the renames of the newest month that has some; undefined if no month has any. @param months newest first */
export function newestRenames(months: readonly Month[]): Markup | undefined {
  const month = months.find(({ renames }) => renames > 0)?.month;
  return month === undefined ? undefined : markup`${monthPage(month)}#renames`;
}

/** Counts renames by day, such as `2024-03-05`, and by month. */
export function renamesByDate(renames: readonly Rename[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { seen_to } of renames) {
    const day = dateOf(seen_to);
    for (const date of [day, day.slice(0, 7)]) counts.set(date, (counts.get(date) ?? 0) + 1);
  }
  return counts;
}

/** The number of years that a table shows, so that dates in error cannot make it long. */
const MAX_YEARS = 60;

/**
 * Returns a table of the changes of each month, newest year first, for the home page.
 * @param spans the days with snapshots, in order
 */
export function monthsTable(months: readonly Month[], spans: readonly DaySpan[], isUnseen: IsUnseen): Markup {
  const years = yearsOf(months, spans);
  const [shown, hidden] = [years.slice(0, MAX_YEARS), years.slice(MAX_YEARS)];
  const { shadeOf, legend } = shadesOf(months);
  const withPage = new Set(months.map(({ month }) => month));
  const noteOf = (month: string) =>
    isUnseen(month) ? 'no snapshot' : !withPage.has(month) && daysInMonth(spans, month).length > 0 ? 'no changes' : '';
  const rows = shown.map(
    (year, index) =>
      markup`${unseenYears(year, years[index - 1] ?? year, isUnseen)}<tr><th scope=row>${year}${cells(year, months, shadeOf, noteOf)}\n`,
  );
  const heads = MONTHS.map(headOf);
  const hasCell = (month: string) => withPage.has(month) || noteOf(month) !== '';
  const early = MONTHS.findIndex((_, index) => shown.some((year) => hasCell(monthOf(year, index))));
  // a narrow screen begins with the first month that has a number or words
  const columns = early < 1 ? '' : markup`<colgroup><col><col class=early span=${early}><col span=${MONTHS.length - early}></colgroup>`;
  return markup`<div class=scroll tabindex=0 role=group aria-label="Changes by month"><table class=heat>${columns}<thead><tr><th scope=col>Year${joined(heads)}</thead><tbody>\n${joined(rows)}</tbody></table></div>\n${legend}${linkToEarlier(months, hidden[0] ?? 0)}`;
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

/** Returns the years with records or snapshots, newest first. */
function yearsOf(months: readonly Month[], spans: readonly DaySpan[]): readonly number[] {
  const years = new Set(months.map(({ month }) => yearOf(month)));
  for (const { from, to } of spans) for (let year = yearOf(from); year <= yearOf(to); year += 1) years.add(year);
  return [...years].sort((one, other) => other - one);
}

/** Returns a row for the years between two years of the table, if they are known to have no snapshot. */
function unseenYears(earlier: number, later: number, isUnseen: IsUnseen): Markup | '' {
  const [from, to] = [earlier + 1, later - 1];
  if (from > to || !isUnseen(monthOf(from, 0))) return '';
  return markup`<tr><th scope=row>${from}${from === to ? '' : markup` to ${to}`}<td colspan=12 class=unseen>no snapshot\n`;
}

function monthOf(year: number, index: number): string {
  return `${String(year).padStart(4, '0')}-${String(index + 1).padStart(2, '0')}`;
}

/** Returns a link to the newest month that the table leaves out. Its page leads to the months before it. @param year the newest that is left out */
function linkToEarlier(months: readonly Month[], year: number): Markup | '' {
  const month = months.find((each) => yearOf(each.month) <= year)?.month;
  return month === undefined ? '' : markup`<p>Earlier: <a href="${monthPage(month)}">${monthAndYear(month)}</a></p>\n`;
}

/** Returns the head of a column, with the first three letters of a name. */
export function headOf(name: (typeof MONTHS | typeof WEEKDAYS)[number]): Markup {
  return markup`<th scope=col><abbr title=${name}>${trusted(name.slice(0, 3))}</abbr>`;
}

/** Returns the words of a month without a page, if it is known why it has none. */
type NoteOf = (month: string) => 'no snapshot' | 'no changes' | '';

/** Returns the cells of a year. Months with the same note that follow each other have one cell. */
function cells(year: number, months: readonly Month[], shadeOf: ShadeOf, noteOf: NoteOf): Markup {
  const names = MONTHS.map((_, index) => monthOf(year, index));
  const ofYear = names.map((name, index) => {
    const note = noteOf(name);
    if (note !== '') {
      if (index > 0 && noteOf(names[index - 1] ?? '') === note) return '';
      const next = names.findIndex((other, place) => place > index && noteOf(other) !== note);
      return markup`<td colspan=${(next === -1 ? names.length : next) - index}${note === 'no snapshot' ? ' class=unseen' : ''}>${note}`;
    }
    const known = months.find(({ month }) => month === name);
    if (known === undefined) return markup`<td>`;
    const title = markup`${monthAndYear(known.month)}: ${countsMarkup(known)}`;
    return markup`<td class=l${shadeOf(known)}><a href="${monthPage(known.month)}" title="${title}">${numberMarkup(known.changes)}</a>`;
  });
  return joined(ofYear);
}

/** Returns the shade of a cell, from 1 to 4; 0: no changes. */
type ShadeOf = (counts: Pick<RecordCounts, 'changes'>) => number;

/** Divides periods into four shades. Each shade stands for a quarter of the different numbers of changes. */
export function shadesOf(periods: readonly Pick<RecordCounts, 'changes'>[]): { readonly shadeOf: ShadeOf; readonly legend: Markup | '' } {
  const numbers = [...new Set(periods.map(({ changes }) => changes))].filter((changes) => changes > 0).sort((one, other) => one - other);
  const firsts = [...new Set([0, 1, 2, 3].map((quarter) => Math.floor((quarter * numbers.length) / 4)))].slice(0, numbers.length);
  const shadeOf: ShadeOf = ({ changes }) => (changes === 0 ? 0 : 4 - firsts.filter((first) => (numbers[first] ?? 0) > changes).length);
  const shades = firsts.map((first, index) => {
    const [start = 0, end = 0] = [numbers[first], numbers[(firsts[index + 1] ?? numbers.length) - 1]];
    const range = start === end ? numberMarkup(start) : markup`${numberMarkup(start)} to ${numberMarkup(end)}`;
    return markup`<span class=l${5 - firsts.length + index}>${range}</span>`;
  });
  return { shadeOf, legend: shades.length === 0 ? '' : markup`<p class=legend>Changes: ${joined(shades, ' ')}</p>\n` };
}
