import type { Account } from '../contract/account.ts';
import { timestampOf } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { StoredAccount, StoredAccounts } from '../store/accounts/stored-accounts.ts';
import { type AccountPart, type AddressOf, accountParts, isOnePart, olderParts, partOfRecord, partsWithPage } from './account-parts.ts';
import { feedBytes, feedOf } from './atom.ts';
import {
  type ByteText,
  byteText,
  countMarkup,
  escapeText,
  joined,
  type Markup,
  markup,
  numberMarkup,
  parseByteJson,
  parseRecords,
  trusted,
} from './byte-text.ts';
import { accountChange, fieldFilter } from './change-list.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';
import type { FormerHandles } from './former-handles.ts';
import { type PageFrame, pageBytes, ROOT_3 } from './page-frame.ts';
import type { BrowseFile } from './parts.ts';
import { accountFeed, accountPage, recordAddress } from './paths.ts';

/** An account for its pages and feeds. All texts are byte texts. */
interface BrowseAccount {
  /** Its profile, and all of its records. */
  readonly account: Account;
  /** The records of the main page and of the main feed, newest first. */
  readonly data: Account['data'];
  /** The number of all records. */
  readonly records: number;
  /** The parts of its records, oldest first. */
  readonly parts: readonly AccountPart[];
  /** Its earlier handles, each with the last time at which a source showed it. Sorted by time. */
  readonly formerHandles: readonly { readonly handle: ByteText; readonly seen_to: string }[];
  /** Other accounts that had the handle of this account before, the last one first. */
  readonly formerHolders: readonly FormerHolderText[];
}

/** An account that had a handle before. */
export interface FormerHolderText {
  readonly screen_name: ByteText;
  readonly seen_to: string;
  /** The number of parts that its records had then. */
  readonly parts: number;
}

/** Yields the files of an account, and returns the number of its parts. They are not rendered if the store has not read its JSON. */
export function* accountFiles(
  baseUrl: string,
  accounts: StoredAccounts,
  formerHandles: FormerHandles,
  stored: StoredAccount,
): Generator<BrowseFile, number> {
  const handle = byteText(stored.screen_name);
  const holders = formerHandles.holdersOf(handle);
  const parts = isOnePart(stored) ? ONE : accountParts(accounts.sizes(stored.screen_name));
  const isOld = stored.json === null;
  let known: BrowseAccount | undefined;
  const read = () => {
    known ??= readAccount(accounts, stored, parts, holders);
    return known;
  };
  const archives = olderParts(parts).length;
  const file = (path: ByteText, render: () => Buffer): BrowseFile => ({ path, render: isOld ? undefined : () => [render()] });
  const addressOf: AddressOf = ({ id }) => recordAddress(handle, partOfRecord(parts, id), id);
  const feed = (records: readonly ChangeRecord[], archive: number) =>
    feedBytes(baseUrl, feedOf(read().account), archives, archive, records, addressOf);
  for (const part of partsWithPage(parts)) {
    const { first = 0, last = 0 } = parts[part - 1] ?? {};
    let records: readonly ChangeRecord[] | undefined;
    const readPart = () => {
      records ??= parseRecords(accounts.recordsBetween(stored.screen_name, first, last));
      return records;
    };
    yield file(accountPage(handle, part), () => accountPartPage(read(), part, readPart()));
    if (part <= archives) yield file(accountFeed(handle, part), () => feed(readPart(), part));
  }
  yield file(accountPage(handle), () => accountMainPage(read(), addressOf));
  yield file(accountFeed(handle), () => feed(read().data, 0));
  return parts.length;
}

const ONE: readonly AccountPart[] = [{ first: 0, last: Number.MAX_SAFE_INTEGER }];

function readAccount(
  accounts: StoredAccounts,
  stored: StoredAccount,
  parts: readonly AccountPart[],
  formerHolders: BrowseAccount['formerHolders'],
): BrowseAccount {
  const account: Account = parseByteJson(stored.json?.toString('latin1') ?? '');
  const older = olderParts(parts).at(-1)?.last ?? -1;
  return {
    account,
    data: older === -1 ? account.data : account.data.filter(({ id }) => id > older),
    records: stored.records,
    parts,
    formerHandles: accounts
      .formerHandles(stored.id)
      .map(({ handle, seen_to }) => ({ handle: byteText(handle), seen_to: timestampOf(seen_to) })),
    formerHolders,
  };
}

/** Returns the main page of an account: its profile and its newest changes. */
export function accountMainPage(shown: BrowseAccount, addressOf: AddressOf): Buffer {
  const { account, records, parts, data } = shown;
  const { screen_name } = account;
  const older = olderParts(parts);
  const page = accountPage(screen_name);
  const hrefOf = (record: ChangeRecord) => {
    const address = addressOf(record);
    return address.startsWith(`${page}#`) ? trusted(address.slice(page.length)) : fileOf(address);
  };
  const frame: PageFrame = { title: `@${screen_name}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const heading = older.length === 0 ? countMarkup(records, 'change') : markup`Newest ${data.length} of ${countMarkup(records, 'change')}`;
  return pageBytes(
    frame,
    markup`${title(account)}${movedRecords(account, older)}${profileMarkup(shown)}<h2>${heading}</h2>\n${changes(data, hrefOf)}${olderLinks(screen_name, older.length)}`,
  );
}

/** Returns a page with a part of the changes of an account. Later changes do not change it if the part is closed. */
export function accountPartPage({ account }: BrowseAccount, part: number, records: readonly ChangeRecord[]): Buffer {
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}, changes ${numberMarkup(part)}`, root: ROOT_3, feed: accountFeed(screen_name) };
  const main = markup`<p><a href="${fileOf(accountPage(screen_name))}">Profile and newest changes</a></p>\n`;
  const list = changes(records, ({ id }) => markup`#r${id}`);
  return pageBytes(
    frame,
    markup`${title(account)}${main}<h2>Changes, part ${numberMarkup(part)}</h2>\n${list}${olderLinks(screen_name, part - 1)}`,
  );
}

function title({ screen_name, display_name }: Account): Markup {
  const handle = markup`<bdi>@${escapeText(screen_name)}</bdi>`;
  return display_name === ''
    ? markup`<h1>${handle}</h1>\n`
    : markup`<h1><bdi>${escapeText(display_name)}</bdi> <small>${handle}</small></h1>\n`;
}

function changes(records: readonly ChangeRecord[], hrefOf: (record: ChangeRecord) => Markup): Markup {
  if (records.length === 0) return markup`<p>This account has no changes.</p>\n`;
  const articles = joined(records.map((record) => accountChange(record, hrefOf(record))));
  return markup`${fieldFilter(records)}<div class="changes own">\n<p class=columns aria-hidden=true><span>Before</span><span>After</span></p>\n${articles}</div>\n`;
}

/**
 * Returns the links of the records of the first part to its page. Their addresses are on the main page, which does not show
 * them any more. The style sheet shows only the link that the address of the page names.
 */
function movedRecords({ screen_name, data }: Account, older: BrowseAccount['parts']): Markup | '' {
  const last = older[0]?.last ?? -1;
  const page = fileOf(accountPage(screen_name, 1));
  const moved = data.filter(({ id }) => id <= last);
  if (moved.length === 0) return '';
  const links = moved.map(({ id }) => markup`<a id=r${id} href="${page}#r${id}">Go to this change</a>`);
  return markup`<p class=moved>${joined(links, '\n')}</p>\n`;
}

/** Returns links to older parts: the newest ones, the first one, and some between. */
function olderLinks(screenName: ByteText, newest: number): Markup | '' {
  if (newest === 0) return '';
  const links = partsToLink(newest).map((part) => markup`<a href="${fileOf(accountPage(screenName, part))}">${numberMarkup(part)}</a>`);
  return markup`<nav class=pages aria-label="Older changes"><span class=gap>Older changes</span>${joined(links, '\n')}</nav>\n`;
}

/** Returns the numbers of parts with a link, newest first. The steps between them grow, so every part is a few links away. */
function partsToLink(newest: number): number[] {
  const linked = [newest, newest - 1, newest - 2];
  for (let step = 5; step < newest; step *= 3) linked.push(newest - step);
  return [...new Set([...linked, 1])].filter((part) => part > 0);
}

/** All pages of an account are in one folder. */
function fileOf(path: Markup): Markup {
  return trusted(path.slice(path.lastIndexOf('/') + 1));
}

/** Returns the current profile of an account as a list of terms. A field that is empty or unknown is left out. */
function profileMarkup({ account, formerHandles, formerHolders }: BrowseAccount): Markup | '' {
  const { bio, location, website, account_creation_date: created, profile_image_url: image } = account;
  const verified = account.data.find(({ data_type }) => data_type === 'Verified');
  const rows: Markup[] = [];
  const add = (term: Markup, definitions: Markup) => rows.push(markup`<div><dt>${term}${definitions}</div>\n`);
  if (bio !== '') add(markup`Bio`, markup`<dd class=text dir=auto>${escapeText(bio)}`);
  if (location !== '') add(markup`Location`, markup`<dd dir=auto>${escapeText(location)}`);
  if (website !== null && website !== '') add(markup`Website`, markup`<dd dir=auto>${linked(website)}`);
  if (verified !== undefined) add(markup`Verified`, markup`<dd>${verified.text === 'true' ? 'Yes' : 'No'}`);
  if (created !== null) add(markup`Created`, markup`<dd>${timeMarkup(created, fullDate(created))}`);
  if (image !== '') add(markup`Picture`, markup`<dd>${linked(image)}`);
  if (formerHandles.length > 0) add(markup`Former handles`, joined(formerHandles.map(formerHandle)));
  if (formerHolders.length > 0) add(markup`Handle before`, joined(formerHolders.map(formerHolder)));
  return rows.length === 0 ? '' : markup`<dl>\n${joined(rows)}</dl>\n`;
}

function linked(url: ByteText): Markup {
  const text = escapeText(url);
  return isWebUrl(url) ? markup`<a href="${text}" ${LINK_ATTRIBUTES}>${text}</a>` : text;
}

function formerHandle({ handle, seen_to }: BrowseAccount['formerHandles'][number]): Markup {
  return markup`<dd><bdi>@${escapeText(handle)}</bdi> until ${timeMarkup(seen_to, fullDate(seen_to))}`;
}

function formerHolder({ screen_name, seen_to }: BrowseAccount['formerHolders'][number]): Markup {
  const link = markup`<a href="${ROOT_3}${accountPage(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a>`;
  return markup`<dd>${link} had this handle until ${timeMarkup(seen_to, fullDate(seen_to))}`;
}
