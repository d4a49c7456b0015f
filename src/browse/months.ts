import { daysOf } from '../contract/timestamps.ts';
import type { FeedDay } from '../store/feed/feed-days.ts';
import { countMarkup, joined, type Markup, markup, numberMarkup, trusted } from './byte-text.ts';
import { fullDate, monthAndYear, monthName, weekdayName, weekdayOf } from './dates.ts';
import { type PageFrame, pageBytes, ROOT_2, type Root } from './page-frame.ts';
import { changesPage, monthPage } from './paths.ts';

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

/**
 * Returns the page of a month: a calendar whose days lead to their changes, and the other months of its year.
 * @param months all months, newest first
 * @param index the place of the month in the list
 * @param pageSize the number of records on a page of changes
 */
export function monthPageBytes(months: readonly Month[], index: number, pageSize: number): Buffer {
  const [later, month, earlier] = [months[index - 1], months[index] ?? NO_MONTH, months[index + 1]];
  const title = monthAndYear(month.month);
  const frame: PageFrame = {
    title: `Changes in ${title}`,
    root: ROOT_2,
    section: 'months',
    previous: earlier === undefined ? undefined : monthPage(earlier.month),
    next: later === undefined ? undefined : monthPage(later.month),
  };
  const link = (target: Month | undefined) =>
    target === undefined ? '' : markup`<a href="${ROOT_2}${monthPage(target.month)}">${monthAndYear(target.month)}</a>`;
  const links = markup`<nav class=pages aria-label=Months>${link(earlier)}${link(later)}</nav>\n`;
  const ofYear = months.filter((other) => other.month.slice(0, 4) === month.month.slice(0, 4));
  return pageBytes(
    frame,
    markup`<h1>${title}</h1>\n<p>${countMarkup(month.records, 'change')}. A day leads to its newest change.</p>\n${calendar(month, pageSize)}${links}<h2>${trusted(month.month.slice(0, 4))}</h2>\n${monthsTable(ofYear, ROOT_2, month.month)}`,
  );
}

const NO_MONTH: Month = { month: '0001-01', records: 0, days: [] };

function calendar({ month, days }: Month, pageSize: number): Markup {
  const most = Math.max(...days.map(({ records }) => records));
  const heads = Array.from(
    { length: 7 },
    (_, index) => markup`<th scope=col><abbr title=${weekdayName(index)}>${trusted(weekdayName(index).slice(0, 3))}</abbr>`,
  );
  const cells = Array.from({ length: weekdayOf(`${month}-01`) }, () => markup`<td>`);
  const last = daysOf(Number(month.slice(0, 4)), Number(month.slice(5)));
  for (let date = 1; date <= last; date += 1) {
    const day = days.find((candidate) => Number(candidate.date.slice(8)) === date);
    if (day === undefined) {
      cells.push(markup`<td><span>${date}</span>`);
      continue;
    }
    const href = markup`${ROOT_2}${changesPage(Math.floor(day.before / pageSize) + 1)}#r${day.newest}`;
    const title = markup`${fullDate(day.date)}: ${countMarkup(day.records, 'change')}`;
    cells.push(
      markup`<td class=l${levelOf(day.records, most)}><a href="${href}" title="${title}"><span>${date}</span> <b>${numberMarkup(day.records)}</b></a>`,
    );
  }
  const rows: Markup[] = [];
  for (let at = 0; at < cells.length; at += 7) rows.push(markup`<tr>${joined(cells.slice(at, at + 7))}\n`);
  return markup`<table class=calendar><thead><tr>${joined(heads)}</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
}

/** The number of years that a table shows, so that dates in error cannot make it long. */
const MOST_YEARS = 60;

/**
 * Returns a table of the changes of each month, newest year first.
 * @param root the path to the root of the tree
 * @param current the month of the page
 */
export function monthsTable(months: readonly Month[], root: Root, current = ''): Markup {
  const years = new Map<string, Month[]>();
  for (const month of months) {
    const year = month.month.slice(0, 4);
    const known = years.get(year);
    if (known === undefined) years.set(year, [month]);
    else known.push(month);
  }
  const [shown, hidden] = [[...years].slice(0, MOST_YEARS), [...years.values()].slice(MOST_YEARS)];
  const most = Math.max(1, ...months.map(({ records }) => records));
  const rows = shown.map(([year, found]) => markup`<tr><th scope=row>${Number(year)}${cells(year, found, most, root, current)}\n`);
  const heads = MONTHS.map(
    (month) => markup`<th scope=col><abbr title=${monthName(`0000-${month}`)}>${trusted(monthName(`0000-${month}`).slice(0, 3))}</abbr>`,
  );
  return markup`<div class=scroll tabindex=0 role=group aria-label="Changes by month"><table class=heat><thead><tr><th scope=col>Year${joined(heads)}</thead><tbody>\n${joined(rows)}</tbody></table></div>\n${linkToEarlier(hidden, root)}`;
}

/** Returns a link to the newest month that the table leaves out. Its page leads to the months before it. */
function linkToEarlier(hidden: readonly (readonly Month[])[], root: Root): Markup | '' {
  const month = hidden[0]?.[0]?.month;
  return month === undefined ? '' : markup`<p>Earlier: <a href="${root}${monthPage(month)}">${monthAndYear(month)}</a></p>\n`;
}

const MONTHS: readonly string[] = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));

function cells(year: string, found: readonly Month[], most: number, root: Root, current: string): Markup {
  const ofYear = MONTHS.map((month) => {
    const known = found.find((candidate) => candidate.month.slice(5) === month);
    if (known === undefined) return markup`<td>`;
    const mark = known.month === current ? ' aria-current=page' : '';
    const title = markup`${monthAndYear(`${year}-${month}`)}: ${countMarkup(known.records, 'change')}`;
    return markup`<td class=l${levelOf(known.records, most)}><a href="${root}${monthPage(known.month)}" title="${title}"${mark}>${numberMarkup(known.records)}</a>`;
  });
  return joined(ofYear);
}

/** Returns the shade of a cell, from 1 to 4. Each shade stands for four times as many changes as the one before it. */
function levelOf(records: number, most: number): number {
  return Math.max(1, 4 - Math.floor(Math.log(most / records) / Math.log(4)));
}

/** The greatest number of bars. A longer period has bars of several months. */
const MOST_BARS = 180;
const [WIDTH, HEIGHT, TOP, BOTTOM] = [960, 220, 22, 26];

/** A bar: the changes of one or more consecutive months. */
interface Bar {
  readonly title: Markup;
  readonly records: number;
  /** The newest month with changes; undefined if there are none. */
  readonly month: string | undefined;
}

/**
 * Returns a chart of the changes over time as SVG. A bar leads to its month.
 * @param months newest first
 */
export function chartOf(months: readonly Month[]): Markup | '' {
  const [newest, oldest] = [months[0], months.at(-1)];
  if (newest === undefined || oldest === undefined) return '';
  const [start, end] = [ordinalOf(oldest.month), ordinalOf(newest.month)];
  const step = STEPS.find((candidate) => (end - start) / candidate < MOST_BARS) ?? 1200;
  const bars = barsOf(months, start - (start % step), end, step);
  const most = Math.max(...bars.map(({ records }) => records));
  const slot = WIDTH / bars.length;
  const width = Math.max(1, Math.min(48, slot * 0.78));
  const round = (value: number) => Math.round(value * 10) / 10;
  const shapes = bars.map(({ title, records, month }, index) => {
    if (month === undefined) return '';
    const height = Math.max(2, ((HEIGHT - TOP - BOTTOM) * records) / most);
    const rect = markup`<rect x="${round(index * slot + (slot - width) / 2)}" y="${round(HEIGHT - BOTTOM - height)}" width="${round(width)}" height="${round(height)}"/>`;
    return markup`<a href="${monthPage(month)}"><title>${title}: ${countMarkup(records, 'change')}</title>${rect}</a>\n`;
  });
  const years = yearLabels(start - (start % step), end, step).map(
    ({ year, index }) => markup`<text x="${round(index * slot)}" y="${HEIGHT - 6}">${year}</text>`,
  );
  return markup`<svg class=chart viewBox="0 0 ${WIDTH} ${HEIGHT}" role=group aria-label="Changes over time">
<text x="0" y="12">${countMarkup(most, 'change')}</text><path d="M0 ${TOP - 4}H${WIDTH}M0 ${HEIGHT - BOTTOM + 0.5}H${WIDTH}"/>
${joined(shapes)}${joined(years)}
</svg>
`;
}

/** The numbers of months that a bar can have. */
const STEPS: readonly number[] = [1, 3, 12, 60, 120, 1200];

/** Returns the number of a month since the year 0. @param month such as `2024-03` */
function ordinalOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function monthAt(ordinal: number): string {
  return `${String(Math.floor(ordinal / 12)).padStart(4, '0')}-${String((ordinal % 12) + 1).padStart(2, '0')}`;
}

function barsOf(months: readonly Month[], from: number, to: number, step: number): readonly Bar[] {
  const bars: Bar[] = [];
  let place = months.length - 1;
  for (let start = from; start <= to; start += step) {
    let [records, month]: [number, string | undefined] = [0, undefined];
    for (let next = months[place]; next !== undefined && ordinalOf(next.month) < start + step; next = months[place]) {
      records += next.records;
      month = next.month;
      place -= 1;
    }
    const [first, last] = [monthAndYear(monthAt(start)), monthAndYear(monthAt(start + step - 1))];
    bars.push({ title: step === 1 ? first : markup`${first} to ${last}`, records, month });
  }
  return bars;
}

/** Returns the years that stand below the bars, at most twelve. */
function yearLabels(from: number, to: number, step: number): readonly { readonly year: number; readonly index: number }[] {
  const [first, last] = [Math.ceil(from / 12), Math.floor(to / 12)];
  const every = Math.max(1, Math.ceil((last - first + 1) / 12));
  const labels: { readonly year: number; readonly index: number }[] = [];
  for (let year = first; year <= last; year += every) labels.push({ year, index: (year * 12 - from) / step });
  return labels;
}
