import type { Account } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { BrowseAccount } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { accountChange } from './change-markup.ts';
import { fieldFilter } from './field-filter.ts';
import { counted } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_3 } from './page-frame.ts';
import { accountFeed, accountPage } from './paths.ts';
import { profileMarkup } from './profile.ts';

/** Returns the main page of an account: its profile and its newest changes. */
export function accountMainPage(shown: BrowseAccount): Buffer {
  const { account, records, older, data } = shown;
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const heading = older.length === 0 ? counted(records, 'change') : `Newest ${data.length} of ${counted(records, 'change')}`;
  return pageBytes(frame, `${title(account)}${profileMarkup(shown)}<h2>${heading}</h2>\n${changes(data)}${olderPages(screen_name, older)}`);
}

/** Returns a page with older changes of an account. @param part its number, from 1 for the oldest */
export function accountOlderPage({ account }: BrowseAccount, part: number, records: readonly ChangeRecord[]): Buffer {
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}, older changes ${part}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const main = `<p><a href="${ROOT_3}${accountPage(screen_name)}">Profile and newest changes</a></p>\n`;
  const older = part === 1 ? '' : `<a href="${ROOT_3}${accountPage(screen_name, part - 1)}" rel=next>Older changes ${part - 1}</a>`;
  const links = older === '' ? '' : `<nav class=pages aria-label="Older changes">${older}</nav>\n`;
  return pageBytes(frame, `${title(account)}${main}<h2>Older changes ${part}</h2>\n${changes(records)}${links}`);
}

function title({ screen_name, display_name }: Account): ByteText {
  const handle = `<bdi>@${escapeText(screen_name)}</bdi>`;
  return display_name === '' ? `<h1>${handle}</h1>\n` : `<h1><bdi>${escapeText(display_name)}</bdi> <small>${handle}</small></h1>\n`;
}

function changes(records: readonly ChangeRecord[]): ByteText {
  if (records.length === 0) return '<p>This account has no changes.</p>\n';
  let articles = '';
  for (const record of records) articles += accountChange(record);
  return `${fieldFilter(records)}<div class="changes own">\n<p class=columns aria-hidden=true><span>Before</span><span>After</span></p>\n${articles}</div>\n`;
}

/** Returns links to the older pages, newest first. The script sends the reader of a moved record there. */
function olderPages(screenName: ByteText, older: BrowseAccount['older']): ByteText {
  if (older.length === 0) return '';
  const link = (part: number, first: number, last: number) =>
    `<a href="${ROOT_3}${accountPage(screenName, part)}" data-first=${first} data-last=${last}>${part}</a>`;
  const links = older.map(({ first, last }, index) => link(index + 1, first, last)).toReversed();
  return `<nav class=pages aria-label="Older changes"><span class=gap>Older changes</span>${links.join('\n')}</nav>\n`;
}
