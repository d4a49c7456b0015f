import type { AccountLine } from '../store/account-lines.ts';
import { byteText, escapeText } from './byte-text.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { number } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_2 } from './page-frame.ts';
import { type PageLinkTexts, pageHeading, pageLinks } from './page-links.ts';
import { accountPage, accountsPage } from './paths.ts';

/** The accounts are in the order of their first changes, the oldest first. */
const LINK_TEXTS: PageLinkTexts = { label: 'Pages of accounts', previous: 'Previous', next: 'Next' };

/** Returns a page of the list of accounts, with the same accounts as the page of `/rest/account/` with that number. */
export function accountsListPage(page: number, pages: number, lines: readonly AccountLine[]): Buffer {
  const frame: PageFrame = {
    title: page === 1 ? 'Accounts' : `Accounts, page ${number(page)}`,
    root: ROOT_2,
    section: 'accounts',
    previous: page > 1 ? accountsPage(page - 1) : undefined,
    next: page < pages ? accountsPage(page + 1) : undefined,
  };
  const rows = lines.map(row).join('');
  const table = `<table class=accounts><thead><tr><th scope=col>Account<th scope=col class=n>Changes<th scope=col>First change<th scope=col>Last change</thead><tbody>\n${rows}</tbody></table>\n`;
  const links = pageLinks(LINK_TEXTS, page, pages, (target) => ROOT_2 + accountsPage(target));
  return pageBytes(frame, `${pageHeading('Accounts', page)}${lines.length === 0 ? '<p>There are no accounts yet.</p>\n' : table}${links}`);
}

function row({ screen_name, display_name, changes, first_change, last_change }: AccountLine): string {
  const handle = byteText(screen_name);
  const name = display_name === '' ? '' : ` <bdi class=name>${escapeText(byteText(display_name))}</bdi>`;
  return `<tr><td><a href="${ROOT_2}${accountPage(handle)}"><bdi>@${escapeText(handle)}</bdi></a>${name}<td class=n>${number(changes)}<td>${date(first_change)}<td>${date(last_change)}\n`;
}

function date(time: string | null): string {
  return time === null ? '' : timeMarkup(time, fullDate(time));
}
