import type { Account } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { olderParts } from './account-parts.ts';
import type { BrowseAccount } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { accountChange } from './change-markup.ts';
import { fieldFilter } from './field-filter.ts';
import { counted, number } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_3 } from './page-frame.ts';
import { accountFeed, accountPage } from './paths.ts';
import { profileMarkup } from './profile.ts';
import type { AddressOf } from './record-addresses.ts';

/** Returns the main page of an account: its profile and its newest changes. */
export function accountMainPage(shown: BrowseAccount, addressOf: AddressOf): Buffer {
  const { account, records, parts, data } = shown;
  const { screen_name } = account;
  const older = olderParts(parts);
  const page = accountPage(screen_name);
  const hrefOf = (record: ChangeRecord) => {
    const address = addressOf(record);
    return address.startsWith(`${page}#`) ? address.slice(page.length) : fileOf(address);
  };
  const frame: PageFrame = { title: `@${screen_name}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const heading = older.length === 0 ? counted(records, 'change') : `Newest ${data.length} of ${counted(records, 'change')}`;
  return pageBytes(
    frame,
    `${title(account)}${movedRecords(account, older)}${profileMarkup(shown)}<h2>${heading}</h2>\n${changes(data, hrefOf)}${olderLinks(screen_name, older.length)}`,
  );
}

/** Returns a page with a part of the changes of an account. Later changes do not change it if the part is closed. */
export function accountPartPage({ account }: BrowseAccount, part: number, records: readonly ChangeRecord[]): Buffer {
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}, changes ${number(part)}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const main = `<p><a href="${fileOf(accountPage(screen_name))}">Profile and newest changes</a></p>\n`;
  const list = changes(records, ({ id }) => `#r${id}`);
  return pageBytes(frame, `${title(account)}${main}<h2>Changes, part ${number(part)}</h2>\n${list}${olderLinks(screen_name, part - 1)}`);
}

function title({ screen_name, display_name }: Account): ByteText {
  const handle = `<bdi>@${escapeText(screen_name)}</bdi>`;
  return display_name === '' ? `<h1>${handle}</h1>\n` : `<h1><bdi>${escapeText(display_name)}</bdi> <small>${handle}</small></h1>\n`;
}

function changes(records: readonly ChangeRecord[], hrefOf: (record: ChangeRecord) => ByteText): ByteText {
  if (records.length === 0) return '<p>This account has no changes.</p>\n';
  let articles = '';
  for (const record of records) articles += accountChange(record, hrefOf(record));
  return `${fieldFilter(records)}<div class="changes own">\n<p class=columns aria-hidden=true><span>Before</span><span>After</span></p>\n${articles}</div>\n`;
}

/**
 * Returns the links of the records of the first part to its page. Their addresses are on the main page, which does not show
 * them any more. The style sheet shows only the link that the address of the page names.
 */
function movedRecords({ screen_name, data }: Account, older: BrowseAccount['parts']): ByteText {
  const last = older[0]?.last ?? -1;
  const page = fileOf(accountPage(screen_name, 1));
  const moved = data.filter(({ id }) => id <= last);
  if (moved.length === 0) return '';
  return `<p class=moved>${moved.map(({ id }) => `<a id=r${id} href="${page}#r${id}">Go to this change</a>`).join('\n')}</p>\n`;
}

/** Returns links to older parts: the newest ones, the first one, and some between. */
function olderLinks(screenName: ByteText, newest: number): ByteText {
  if (newest === 0) return '';
  const links = partsToLink(newest).map((part) => `<a href="${fileOf(accountPage(screenName, part))}">${number(part)}</a>`);
  return `<nav class=pages aria-label="Older changes"><span class=gap>Older changes</span>${links.join('\n')}</nav>\n`;
}

/** Returns the numbers of parts with a link, newest first. The steps between them grow, so every part is a few links away. */
function partsToLink(newest: number): number[] {
  const linked = [newest, newest - 1, newest - 2];
  for (let step = 5; step < newest; step *= 3) linked.push(newest - step);
  return [...new Set([...linked, 1])].filter((part) => part > 0);
}

/** All pages of an account are in one folder. */
function fileOf(path: ByteText): ByteText {
  return path.slice(path.lastIndexOf('/') + 1);
}
