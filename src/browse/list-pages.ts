import type { AccountEntry } from '../contract/accounts/account-entry.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { AddressOf } from './account-parts.ts';
import { byteText, escapeText, joined, type Markup, markup, numberMarkup, parseRecords } from './byte-text.ts';
import { feedChange, fieldFilter } from './change-list.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { chartOf, type Month, monthsTable } from './months.ts';
import { pageBytes, ROOT_2, type Section } from './page-frame.ts';
import { accountPage, accountsPage, changesPage } from './paths.ts';

/** What the home page shows. */
interface HomeContents {
  readonly records: number;
  readonly accounts: number;
  /** Newest first. */
  readonly months: readonly Month[];
  /** The newest records, newest first. */
  readonly newest: readonly ChangeRecord[];
  readonly addressOf: AddressOf;
}

/** Returns the home page. */
export function homePage({ records, accounts, months, newest, addressOf }: HomeContents): Buffer {
  const [last, first] = [months[0]?.days[0]?.date, months.at(-1)?.days.at(-1)?.date];
  const period =
    first === undefined || last === undefined
      ? ''
      : markup`<div><dt>First change<dd>${timeMarkup(first, fullDate(first))}</div>\n<div><dt>Last change<dd>${timeMarkup(last, fullDate(last))}</div>\n`;
  const chart =
    months.length === 0
      ? ''
      : markup`<h2 id=months>Changes over time</h2>\n<p>The first known value of a field counts as a change.</p>\n${chartOf(months)}${monthsTable(months, '')}`;
  const list =
    newest.length === 0
      ? markup`<p>There are no changes yet.</p>\n`
      : markup`<div class=changes>\n${changesByDay(newest, '', addressOf)}</div>\n<p><a href="${changesPage(1)}">All changes</a></p>\n`;
  return pageBytes(
    { title: 'History of public profiles', root: '', section: 'home' },
    markup`<h1>History of public profiles</h1>
<p class=lead>What accounts said about themselves, and when they changed it: names, bios, locations, websites and verification.</p>
<dl class=stats>
<div><dt>Accounts<dd><a href="${accountsPage(1)}">${numberMarkup(accounts)}</a></div>
<div><dt>Changes<dd><a href="${changesPage(1)}">${numberMarkup(records)}</a></div>
${period}</dl>
${chart}<h2>Newest changes</h2>
${list}<h2>For programs</h2>
<p>The same history is a JSON API: <a href="rest/data/">changes</a> and <a href="rest/account/">accounts</a>.</p>
`,
  );
}

const CHANGES: NumberedPages = { title: 'Changes', section: 'changes', pathOf: changesPage, previous: markup`Newer`, next: markup`Older` };
/** The accounts are in the order of their first changes, the oldest first. */
const ACCOUNTS: NumberedPages = {
  title: 'Accounts',
  section: 'accounts',
  pathOf: accountsPage,
  previous: markup`Previous`,
  next: markup`Next`,
};

/**
 * Returns a page of the feed, with the same records as the page of `/rest/data/` with that number.
 * @param json the JSON of its records, newest first, separated by commas
 */
export function feedPage(page: number, pages: number, json: Buffer, addressOf: AddressOf): Buffer {
  const records = parseRecords(json);
  const list =
    records.length === 0
      ? markup`<p>There are no changes yet.</p>\n`
      : markup`${fieldFilter(records)}<div class=changes>\n${changesByDay(records, ROOT_2, addressOf)}</div>\n`;
  return numberedPage(CHANGES, page, pages, list);
}

/** Returns the changes in a section for each day. @param root the path to the root of the tree */
function changesByDay(records: readonly ChangeRecord[], root: '' | typeof ROOT_2, addressOf: AddressOf): Markup {
  const parts: Markup[] = [];
  let day = '';
  for (const record of records) {
    const date = record.first_encountered_date.slice(0, 10);
    if (date !== day) parts.push(markup`${day === '' ? '' : '</section>\n'}<section>\n<h2>${fullDate(date)}</h2>\n`);
    day = date;
    parts.push(feedChange(record, markup`${root}${addressOf(record)}`));
  }
  return day === '' ? markup`` : markup`${joined(parts)}</section>\n`;
}

/** Returns a page of the list of accounts, with the same accounts as the page of `/rest/account/` with that number. */
export function accountsListPage(page: number, pages: number, lines: readonly AccountEntry[]): Buffer {
  const rows = joined(lines.map(row));
  const table = markup`<table class=accounts><thead><tr><th scope=col>Account<th scope=col class=n>Changes<th scope=col>First change<th scope=col>Last change</thead><tbody>\n${rows}</tbody></table>\n`;
  return numberedPage(ACCOUNTS, page, pages, lines.length === 0 ? markup`<p>There are no accounts yet.</p>\n` : table);
}

function row({ screen_name, display_name, changes, first_change, last_change }: AccountEntry): Markup {
  const handle = byteText(screen_name);
  const name = display_name === '' ? '' : markup` <bdi class=name>${escapeText(byteText(display_name))}</bdi>`;
  return markup`<tr><td><a href="${ROOT_2}${accountPage(handle)}"><bdi>@${escapeText(handle)}</bdi></a>${name}<td class=n>${numberMarkup(changes)}<td>${date(first_change)}<td>${date(last_change)}\n`;
}

function date(time: string | null): Markup | '' {
  return time === null ? '' : timeMarkup(time, fullDate(time));
}

/** Pages of a list that are numbered from 1. */
interface NumberedPages {
  readonly title: 'Changes' | 'Accounts';
  readonly section: Section;
  readonly pathOf: (page: number) => Markup;
  /** The texts of the links to the page before and to the page after. */
  readonly previous: Markup;
  readonly next: Markup;
}

/** Returns a numbered page. The first page has no number in its heading. @param list the markup of its content */
function numberedPage(kind: NumberedPages, page: number, pages: number, list: Markup): Buffer {
  const { title, section, pathOf } = kind;
  return pageBytes(
    {
      title: page === 1 ? title : `${title}, page ${numberMarkup(page)}`,
      root: ROOT_2,
      section,
      previous: page > 1 ? pathOf(page - 1) : undefined,
      next: page < pages ? pathOf(page + 1) : undefined,
    },
    markup`<h1>${title}${page === 1 ? '' : markup` <small>page ${numberMarkup(page)}</small>`}</h1>\n${list}${pageLinks(kind, page, pages)}`,
  );
}

/** The number of pages before and after the current one that have a link. */
const AROUND = 2;

/** Returns the links between numbered pages; '' if there is only one page. */
function pageLinks({ section, pathOf, previous, next }: NumberedPages, page: number, pages: number): Markup | '' {
  if (pages === 1) return '';
  const link = (target: number, text = numberMarkup(target), attributes: '' | ' rel=prev' | ' rel=next' = '') =>
    target === page
      ? markup`<span aria-current=page>${text}</span>`
      : markup`<a href="${ROOT_2}${pathOf(target)}"${attributes}>${text}</a>`;
  const [from, to] = [Math.max(1, page - AROUND), Math.min(pages, page + AROUND)];
  const parts: Markup[] = [];
  if (page > 1) parts.push(link(page - 1, previous, ' rel=prev'));
  if (from > 1) parts.push(link(1));
  if (from > 2) parts.push(markup`<span>&hellip;</span>`);
  for (let target = from; target <= to; target += 1) parts.push(link(target));
  if (to < pages - 1) parts.push(markup`<span>&hellip;</span>`);
  if (to < pages) parts.push(link(pages));
  if (page < pages) parts.push(link(page + 1, next, ' rel=next'));
  return markup`<nav class=pages aria-label="Pages of ${section}">${joined(parts, ' ')}</nav>\n`;
}
