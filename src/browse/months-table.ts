import type { Month } from './calendar.ts';
import { monthAndYear, monthName } from './dates.ts';
import { counted, number } from './numbers.ts';
import { monthPage } from './paths.ts';

/** The number of years that a table shows, so that dates in error cannot make it long. */
const MOST_YEARS = 60;

/**
 * Returns a table of the changes of each month, newest year first.
 * @param root the path to the root of the tree
 * @param current the month of the page
 */
export function monthsTable(months: readonly Month[], root: string, current = ''): string {
  const years = new Map<string, Month[]>();
  for (const month of months) {
    const year = month.month.slice(0, 4);
    const known = years.get(year);
    if (known === undefined) years.set(year, [month]);
    else known.push(month);
  }
  const [shown, hidden] = [[...years].slice(0, MOST_YEARS), [...years.values()].slice(MOST_YEARS)];
  const most = Math.max(1, ...months.map(({ records }) => records));
  const rows = shown.map(([year, found]) => `<tr><th scope=row>${Number(year)}${cells(year, found, most, root, current)}\n`);
  const heads = MONTHS.map(
    (month) => `<th scope=col><abbr title=${monthName(`0000-${month}`)}>${monthName(`0000-${month}`).slice(0, 3)}</abbr>`,
  );
  return `<div class=scroll tabindex=0 role=group aria-label="Changes by month"><table class=heat><thead><tr><th scope=col>Year${heads.join('')}</thead><tbody>\n${rows.join('')}</tbody></table></div>\n${linkToEarlier(hidden, root)}`;
}

/** Returns a link to the newest month that the table leaves out. Its page leads to the months before it. */
function linkToEarlier(hidden: readonly (readonly Month[])[], root: string): string {
  const month = hidden[0]?.[0]?.month;
  return month === undefined ? '' : `<p>Earlier: <a href="${root}${monthPage(month)}">${monthAndYear(month)}</a></p>\n`;
}

const MONTHS: readonly string[] = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));

function cells(year: string, found: readonly Month[], most: number, root: string, current: string): string {
  return MONTHS.map((month) => {
    const known = found.find((candidate) => candidate.month.slice(5) === month);
    if (known === undefined) return '<td>';
    const mark = known.month === current ? ' aria-current=page' : '';
    const title = `${monthAndYear(`${year}-${month}`)}: ${counted(known.records, 'change')}`;
    return `<td class=l${levelOf(known.records, most)}><a href="${root}${monthPage(known.month)}" title="${title}"${mark}>${number(known.records)}</a>`;
  }).join('');
}

/** Returns the shade of a cell, from 1 to 4. Each shade stands for four times as many changes as the one before it. */
export function levelOf(records: number, most: number): number {
  return Math.max(1, 4 - Math.floor(Math.log(most / records) / Math.log(4)));
}
