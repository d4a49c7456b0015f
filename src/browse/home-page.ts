import type { ChangeRecord } from '../contract/record.ts';
import type { ByteText } from './byte-text.ts';
import type { Month } from './calendar.ts';
import { feedChange } from './change-markup.ts';
import { fullDate, monthAndYear, timeMarkup } from './dates.ts';
import { number } from './numbers.ts';
import { pageBytes } from './page-frame.ts';
import { accountsPage, changesPage, monthPage } from './paths.ts';

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
      : `<p>From ${timeMarkup(first, fullDate(first))} to ${timeMarkup(last, fullDate(last))}.</p>\n`;
  let changes: ByteText = '';
  for (const record of newest) changes += feedChange(record, '');
  const list = months
    .map(({ month, records: count }) => `<li><a href="${monthPage(month)}">${monthAndYear(month)}</a> ${number(count)}\n`)
    .join('');
  return pageBytes(
    { title: 'History of public profiles', root: '', section: 'home' },
    `<h1>History of public profiles</h1>
<p>What accounts said about themselves, and when they changed it.</p>
<p><a href="${accountsPage(1)}">${number(accounts)} accounts</a>, <a href="${changesPage(1)}">${number(records)} changes</a>.</p>
${period}<h2>Newest changes</h2>
<div class=changes>
${changes}</div>
<h2 id=months>Months</h2>
<ul class=months>
${list}</ul>
`,
  );
}
