import type { ChangeRecord } from '../contract/record.ts';
import type { ByteText } from './byte-text.ts';
import type { Month } from './calendar.ts';
import { chartOf } from './chart.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { changesByDay } from './feed-page.ts';
import { monthsTable } from './months-table.ts';
import { number } from './numbers.ts';
import { pageBytes } from './page-frame.ts';
import { accountsPage, changesPage } from './paths.ts';

/** What the home page shows. */
export interface HomeContents {
  readonly records: number;
  readonly accounts: number;
  /** Newest first. */
  readonly months: readonly Month[];
  /** The newest records, newest first. */
  readonly newest: readonly ChangeRecord[];
}

/** Returns the home page. */
export function homePage({ records, accounts, months, newest }: HomeContents): Buffer {
  const [last, first] = [months[0]?.days[0]?.date, months.at(-1)?.days.at(-1)?.date];
  const period =
    first === undefined || last === undefined
      ? ''
      : `<div><dt>First change<dd>${timeMarkup(first, fullDate(first))}</div>\n<div><dt>Last change<dd>${timeMarkup(last, fullDate(last))}</div>\n`;
  const chart =
    months.length === 0
      ? ''
      : `<h2 id=months>Changes over time</h2>\n<p>The first known value of a field counts as a change.</p>\n${chartOf(months)}${monthsTable(months, '')}`;
  const list: ByteText =
    newest.length === 0
      ? '<p>There are no changes yet.</p>\n'
      : `<div class=changes>\n${changesByDay(newest, '')}</div>\n<p><a href="${changesPage(1)}">All changes</a></p>\n`;
  return pageBytes(
    { title: 'History of public profiles', root: '', section: 'home' },
    `<h1>History of public profiles</h1>
<p class=lead>What accounts said about themselves, and when they changed it: names, bios, locations, websites and verification.</p>
<dl class=stats>
<div><dt>Accounts<dd><a href="${accountsPage(1)}">${number(accounts)}</a></div>
<div><dt>Changes<dd><a href="${changesPage(1)}">${number(records)}</a></div>
${period}</dl>
${chart}<h2>Newest changes</h2>
${list}<h2>For programs</h2>
<p>The same history is a JSON API: <a href="rest/data/">changes</a> and <a href="rest/account/">accounts</a>.</p>
`,
  );
}
