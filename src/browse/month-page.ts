import { daysOf } from '../contract/dates.ts';
import type { Month } from './calendar.ts';
import { fullDate, monthAndYear, weekdayName, weekdayOf } from './dates.ts';
import { levelOf, monthsTable } from './months-table.ts';
import { counted, number } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_2 } from './page-frame.ts';
import { changesPage, monthPage } from './paths.ts';

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
    target === undefined ? '' : `<a href="${ROOT_2}${monthPage(target.month)}">${monthAndYear(target.month)}</a>`;
  const links = `<nav class=pages aria-label=Months>${link(earlier)}${link(later)}</nav>\n`;
  const ofYear = months.filter((other) => other.month.slice(0, 4) === month.month.slice(0, 4));
  return pageBytes(
    frame,
    `<h1>${title}</h1>\n<p>${counted(month.records, 'change')}. A day leads to its newest change.</p>\n${calendar(month, pageSize)}${links}<h2>${month.month.slice(0, 4)}</h2>\n${monthsTable(ofYear, ROOT_2, month.month)}`,
  );
}

const NO_MONTH: Month = { month: '0001-01', records: 0, days: [] };

function calendar({ month, days }: Month, pageSize: number): string {
  const most = Math.max(...days.map(({ records }) => records));
  const heads = Array.from(
    { length: 7 },
    (_, index) => `<th scope=col><abbr title=${weekdayName(index)}>${weekdayName(index).slice(0, 3)}</abbr>`,
  );
  const cells: string[] = Array.from({ length: weekdayOf(`${month}-01`) }, () => '<td>');
  const last = daysOf(Number(month.slice(0, 4)), Number(month.slice(5)));
  for (let date = 1; date <= last; date += 1) {
    const day = days.find((candidate) => Number(candidate.date.slice(8)) === date);
    if (day === undefined) {
      cells.push(`<td><span>${date}</span>`);
      continue;
    }
    const href = `${ROOT_2}${changesPage(Math.floor(day.before / pageSize) + 1)}#r${day.newest}`;
    const title = `${fullDate(day.date)}: ${counted(day.records, 'change')}`;
    cells.push(
      `<td class=l${levelOf(day.records, most)}><a href="${href}" title="${title}"><span>${date}</span> <b>${number(day.records)}</b></a>`,
    );
  }
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += 7) rows.push(`<tr>${cells.slice(at, at + 7).join('')}\n`);
  return `<table class=calendar><thead><tr>${heads.join('')}</thead><tbody>\n${rows.join('')}</tbody></table>\n`;
}
