import { daysOf } from '../contract/dates.ts';
import type { Month } from './calendar.ts';
import { monthAndYear, weekdayName, weekdayOf } from './dates.ts';
import { counted, number } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_2 } from './page-frame.ts';
import { changesPage, monthPage } from './paths.ts';

/**
 * Returns the page of a month: a calendar whose days lead to their changes.
 * @param earlier the month with changes before this one
 * @param pageSize the number of records on a page of changes
 */
export function monthPageBytes(month: Month, earlier: Month | undefined, later: Month | undefined, pageSize: number): Buffer {
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
  const links = `<nav class=pages aria-label=Months>${link(earlier)} ${link(later)}</nav>\n`;
  return pageBytes(frame, `<h1>${title}</h1>\n<p>${counted(month.records, 'change')}</p>\n${calendar(month, pageSize)}${links}`);
}

function calendar({ month, days }: Month, pageSize: number): string {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const most = Math.max(...days.map(({ records }) => records));
  const heads = Array.from(
    { length: 7 },
    (_, index) => `<th scope=col><abbr title=${weekdayName(index)}>${weekdayName(index).slice(0, 3)}</abbr>`,
  );
  const [year = 0, monthNumber = 0] = month.split('-').map(Number);
  const offset = weekdayOf(`${month}-01`);
  const cells: string[] = Array.from({ length: offset }, () => '<td>');
  for (let number_ = 1; number_ <= daysOf(year, monthNumber); number_ += 1) {
    const day = byDate.get(`${month}-${String(number_).padStart(2, '0')}`);
    if (day === undefined) {
      cells.push(`<td><span>${number_}</span>`);
      continue;
    }
    const href = `${ROOT_2}${changesPage(Math.floor(day.before / pageSize) + 1)}#r${day.newest}`;
    const level = Math.ceil((4 * day.records) / most);
    cells.push(`<td class=l${level}><a href="${href}"><span>${number_}</span> <b>${number(day.records)}</b></a>`);
  }
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += 7) rows.push(`<tr>${cells.slice(at, at + 7).join('')}\n`);
  return `<table class=calendar><thead><tr>${heads.join('')}</thead><tbody>\n${rows.join('')}</tbody></table>\n`;
}
