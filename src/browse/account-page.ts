import type { ChangeRecord } from '../contract/record.ts';
import type { BrowseAccount } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { accountChange } from './change-markup.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';
import { fieldFilter } from './field-filter.ts';
import { counted } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_3 } from './page-frame.ts';
import { accountFeed, accountPage } from './paths.ts';

/** Returns the main page of an account: its profile and its newest changes. */
export function accountMainPage(account: BrowseAccount): Buffer {
  const { screen_name, records, older } = account;
  const frame: PageFrame = { title: `@${screen_name}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const count = `<p>${counted(records, 'change')}</p>\n`;
  return pageBytes(frame, heading(account) + profile(account) + count + changes(account.data) + olderPages(screen_name, older));
}

/** Returns a page with older changes of an account. @param part its number, from 1 for the oldest */
export function accountOlderPage(account: BrowseAccount, part: number, records: readonly ChangeRecord[]): Buffer {
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}, older changes ${part}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const back = `<p><a href="${ROOT_3}${accountPage(screen_name)}">Newest changes and profile</a></p>\n`;
  return pageBytes(frame, `<h1><bdi>@${escapeText(screen_name)}</bdi></h1>\n${back}${changes(records)}`);
}

function heading({ screen_name, display_name }: BrowseAccount): ByteText {
  const handle = `<bdi>@${escapeText(screen_name)}</bdi>`;
  return display_name === '' ? `<h1>${handle}</h1>\n` : `<h1><bdi>${escapeText(display_name)}</bdi> <small>${handle}</small></h1>\n`;
}

function profile(account: BrowseAccount): ByteText {
  const { bio, location, website, account_creation_date: created } = account;
  const rows = [
    bio === '' ? '' : entry('Bio', `<dd dir=auto>${escapeText(bio)}`),
    location === '' ? '' : entry('Location', `<dd dir=auto>${escapeText(location)}`),
    website === null || website === '' ? '' : entry('Website', `<dd dir=auto>${websiteLink(website)}`),
    created === null ? '' : entry('Account created', `<dd>${timeMarkup(created, fullDate(created))}`),
    account.formerHandles.length === 0
      ? ''
      : entry(
          'Former handles',
          account.formerHandles
            .map(({ handle, seen_to }) => `<dd><bdi>@${escapeText(handle)}</bdi> until ${timeMarkup(seen_to, fullDate(seen_to))}`)
            .join(''),
        ),
    account.formerHolders.length === 0
      ? ''
      : entry(
          'Handle before',
          account.formerHolders
            .map(
              ({ screen_name, seen_to }) =>
                `<dd>of <a href="${ROOT_3}${accountPage(screen_name)}"><bdi>@${escapeText(screen_name)}</bdi></a> until ${timeMarkup(seen_to, fullDate(seen_to))}`,
            )
            .join(''),
        ),
  ].join('');
  return rows === '' ? '' : `<dl class=profile>\n${rows}</dl>\n`;
}

function entry(term: string, definitions: ByteText): ByteText {
  return `<dt>${term}${definitions}\n`;
}

function websiteLink(website: ByteText): ByteText {
  const text = escapeText(website);
  return isWebUrl(website) ? `<a href="${text}" ${LINK_ATTRIBUTES}>${text}</a>` : text;
}

function changes(records: readonly ChangeRecord[]): ByteText {
  if (records.length === 0) return '<p>This account has no changes.</p>\n';
  let articles = '';
  for (const record of records) articles += accountChange(record);
  return `${fieldFilter(records)}<div class="changes own">\n${articles}</div>\n`;
}

/** Returns links to the older pages, newest first. The script sends a reader of a moved record there. */
function olderPages(screenName: ByteText, older: BrowseAccount['older']): ByteText {
  if (older.length === 0) return '';
  const links = older
    .map(
      ({ first, last }, index) =>
        `<li><a href="${ROOT_3}${accountPage(screenName, index + 1)}" data-first=${first} data-last=${last}>Older changes ${index + 1}</a>\n`,
    )
    .toReversed()
    .join('');
  return `<nav aria-label="Older changes"><ul class=older>\n${links}</ul></nav>\n`;
}
