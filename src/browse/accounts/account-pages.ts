import type { Account } from '../../contract/account.ts';
import { FIELDS_IN_ORDER } from '../../contract/profile-fields.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Site } from '../../contract/site.ts';
import type { StoredAccount, StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { accountFeedBytes } from '../atom.ts';
import { accountEntriesOf, accountEntry, accountRenameEntry, valueMarkup } from '../change-list.ts';
import { olderLinks } from '../changes-pages.ts';
import { dateMarkup } from '../dates.ts';
import { recordFilter } from '../filter/record-filter.ts';
import {
  type ByteText,
  byteText,
  countsMarkup,
  escapeText,
  joined,
  type Markup,
  markup,
  numberMarkup,
  orEmpty,
  parseRecords,
  trusted,
} from '../markup.ts';
import { type Page, type PageFrame, pageOf, ROOT_3, type UnframedFile } from '../page-frame.ts';
import { ABOUT, accountFeed, accountPage, recordAddress, renameAddress } from '../paths.ts';
import { type AccountPart, accountParts, hasPage, isOnePart, olderParts, partOfRecord, partsWithPage } from './account-parts.ts';
import { type BrowseAccount, changesIn, type FormerHolderText, readAccount } from './browse-account.ts';
import type { FormerHandles } from './former-handles.ts';
import { historyGlance } from './history-glance.ts';
import { profileMarkup } from './profile-list.ts';
import type { AddressOf, RecordFacts, RecordLookup } from './record-lookup.ts';
import { NO_RECORD, renamedBy } from './renames.ts';

/** Yields the files of an account, and returns the number of its parts. They are not rendered if the store has not read its JSON. */
export function* accountFiles(
  site: Site,
  accounts: StoredAccounts,
  formerHandles: FormerHandles,
  stored: StoredAccount,
  lookup: RecordLookup,
): Generator<UnframedFile, number> {
  const handle = byteText(stored.screen_name);
  const holders = formerHandles.holdersOf(handle);
  const parts = isOnePart(stored) ? ONE : accountParts(accounts.sizes(stored.screen_name));
  const isOld = stored.json === null;
  let known: BrowseAccount | undefined;
  const read = () => {
    known ??= readAccount(accounts, stored, parts, holders, lookup);
    return known;
  };
  const feed = site.account_feeds && accountFeed(handle);
  const file = (path: ByteText, render: () => Page): UnframedFile => ({ path, render: isOld ? undefined : () => [{ ...render(), feed }] });
  for (const part of partsWithPage(parts)) {
    const { first = 0, last = 0 } = parts[part - 1] ?? {};
    const records = () => parseRecords(accounts.recordsBetween(stored.screen_name, first, last));
    yield file(accountPage(handle, part), () => accountPartPage(read(), part, records(), lookup));
  }
  yield file(accountPage(handle), () => accountMainPage(read(), lookup));
  const addressOf: AddressOf = ({ id }) => recordAddress(handle, partOfRecord(parts, id), id);
  const contents = () => {
    const { account, observedBefore } = read();
    return { records: account.data.slice(0, site.page_size), renames: lookup.renames.of(handle), observedBefore };
  };
  const feedBytes = () => accountFeedBytes(site, handle, contents(), holders, { addressOf, handleAt: lookup.handleAt });
  if (feed !== undefined) yield { path: feed, render: isOld ? undefined : () => [feedBytes()] };
  return parts.length;
}

const ONE: readonly AccountPart[] = [{ first: 0, last: Number.MAX_SAFE_INTEGER }];

/** Returns the main page of an account: its profile and its newest changes. */
export function accountMainPage(shown: BrowseAccount, facts: RecordFacts): Page {
  const { account, changes, renames, parts, data } = shown;
  const { screen_name, display_name } = account;
  const older = olderParts(parts);
  const hrefOf: AddressOf = ({ id }) => {
    const part = partOfRecord(parts, id);
    return part === 1 ? markup`#r${id}` : fileOf(recordAddress(screen_name, part, id));
  };
  const frame: PageFrame = {
    title: display_name === '' ? `@${screen_name}` : `@${screen_name} (${display_name})`,
    root: ROOT_3,
    section: 'account',
  };
  const all = countsMarkup({ changes, renames: [...renames.values()].flat().length, first_values: 0 });
  const heading = older.length === 0 ? all : markup`Newest ${changesIn(data)} of ${all}`;
  const day = data.length === 0 ? '' : PROFILE_OF_DAY;
  const before = older.length === 0 ? '' : profileBefore(account, data);
  const glance = historyGlance(account.data, hrefOf);
  const jump = account.bio.length > LONG_BIO ? markup`<p><a href="#changes">${all}</a></p>\n` : '';
  const name = nameOf(account);
  const fields = new Set(account.data.map(({ data_type }) => data_type)).size;
  const unchanged = changes > 0 || data.length === 0 ? '' : fields < account.data.length ? SEVERAL_FIRST_VALUES : NO_CHANGES;
  // the first values of an account that never changed are one short list
  const filter = changes === 0 && older.length === 0 && renames.size === 0 ? '' : recordFilter(data, account.data);
  const list = data.length === 0 ? NO_RECORDS : markup`${filter}${entries(shown, name, data, hrefOf, facts)}`;
  return pageOf(
    frame,
    markup`${title(name)}${joined(shown.formerHolders.map(formerHolder))}${jump}${profileMarkup(shown)}${day}${glance}${movedEntries(shown, older)}<h2 id=changes>${heading}</h2>\n${unchanged}${list}${before}${olderLinks(older.length, linkTo(shown))}`,
  );
}

/** A bio with more bytes gets a link to the changes at the top of the page. */
const LONG_BIO = 1000;

/** The place where the script lets a reader choose a day. */
const PROFILE_OF_DAY = markup`<div data-day>For the profile of a day, turn on JavaScript.</div>\n`;

/**
 * Returns a page with a part of the changes of an account. Later changes do not change it if another part follows. So it has no
 * number of all records, and no display name.
 */
export function accountPartPage(shown: BrowseAccount, part: number, records: readonly ChangeRecord[], facts: RecordFacts): Page {
  const { account, parts } = shown;
  const { screen_name } = account;
  const frame: PageFrame = { title: `@${screen_name}, part ${numberMarkup(part)}`, root: ROOT_3, section: 'account' };
  const main = markup`<p><a href="${fileOf(accountPage(screen_name))}">Profile and newest changes</a></p>\n`;
  const name = handleMarkup(screen_name);
  const hrefOf: AddressOf = ({ id }) => (part === 1 ? fileOf(recordAddress(screen_name, part, id)) : markup`#r${id}`);
  const list = entries(shown, name, records, hrefOf, facts);
  const before = part === 1 ? '' : profileBefore(account, records);
  const newer =
    part === parts.length
      ? ''
      : markup`<nav class=pages aria-label="Newer changes"><span class=gap>Newer changes</span>${linkTo(shown)(part + 1)}</nav>\n`;
  return pageOf(
    frame,
    markup`${title(name)}${main}${PROFILE_OF_DAY}<h2>Changes and first values, part ${numberMarkup(part)}</h2>\n${recordFilter(records)}${list}${before}${newer}${olderLinks(part - 1, linkTo(shown))}`,
  );
}

/** Returns what the profile said before the records of a page. @param records newest first */
function profileBefore({ data }: Account, records: readonly ChangeRecord[]): Markup {
  const oldest = records.at(-1)?.id ?? 0;
  const older = data.slice(data.findIndex(({ id }) => id < oldest));
  const rows = FIELDS_IN_ORDER.flatMap((type) => {
    const record = older.find(({ data_type }) => data_type === type);
    return record === undefined ? [] : [markup`<div><dt>${type}<dd class=text dir=auto>${orEmpty(valueMarkup(record.text, type))}</div>\n`];
  });
  return markup`<h2>Before these changes</h2>\n<dl data-before>\n${joined(rows)}</dl>\n`;
}

function title(name: Markup): Markup {
  return markup`<h1>${name}</h1>\n`;
}

function nameOf({ screen_name, display_name }: Account): Markup {
  const handle = handleMarkup(screen_name);
  return display_name === '' ? handle : markup`<bdi>${escapeText(display_name)}</bdi> <small>${handle}</small>`;
}

/** A link from before the rename leads to this page, so this stands before the profile. */
function formerHolder({ screen_name, seen_to }: FormerHolderText): Markup {
  const link = markup`<a href="${ROOT_3}${accountPage(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a>`;
  return markup`<p>Another account, ${link}, was last seen with this handle on ${dateMarkup(seen_to)}. An older link to this page can be about that account.</p>\n`;
}

function handleMarkup(screenName: ByteText): Markup {
  return markup`<bdi>@${escapeText(screenName)}</bdi>`;
}

const NO_RECORDS = markup`<p>This account has no records.</p>\n`;

/** Does not say until when: the page would change each night. */
const NO_CHANGES = markup`<p>No source showed a change of these values. Between <a href="${ROOT_3}${ABOUT}#complete">the days with snapshots</a>, nothing is known.</p>\n`;

/** Several sources can have a first value of one field. */
const SEVERAL_FIRST_VALUES = markup`<p>A field has several first values. Their records do not say what the field said before. They are not counted as changes.</p>\n`;

/** Returns the entries of a page, below a bar with the name that stays in view. */
function entries(
  { account, renames, observedBefore }: BrowseAccount,
  name: Markup,
  records: readonly ChangeRecord[],
  hrefOf: AddressOf,
  facts: RecordFacts,
): Markup {
  const ids = records.map(({ id }) => id);
  if (ids.at(-1) === account.data.at(-1)?.id) ids.push(NO_RECORD);
  const shown = { records, renames: ids.flatMap((id) => renames.get(id) ?? []), observedBefore };
  const renamesAbove = (id: number) =>
    (renames.get(id) ?? []).map((rename) => accountRenameEntry(rename, renamedBy(rename, shown), fileOf(renameAddress(rename))));
  const own = accountEntriesOf(records);
  const list = own.flatMap((entry) => [
    ...(renames.size === 0 ? [] : entry.flatMap(({ id }) => renamesAbove(id))),
    accountEntry(entry, hrefOf, facts, observedBefore),
  ]);
  if (ids.includes(NO_RECORD)) list.push(...renamesAbove(NO_RECORD));
  const hasChanges = list.length > own.length || records.some(({ previous }) => previous !== null);
  const columns = hasChanges ? markup`<span>Before</span><span>After</span>` : '';
  return markup`<div class="changes own">\n<p class=columns aria-hidden=true><b>${name}</b>${columns}</p>\n${joined(list)}</div>\n${API_LINK}`;
}

/** The script replaces the sentence by buttons that save the records of the page. */
const API_LINK = markup`<p class=downloads>For a download as JSON or CSV, turn on JavaScript. <a href="${ROOT_3}${ABOUT}#api">How to find these records as JSON in the API</a> and <a href="${ROOT_3}${ABOUT}#cite">how to cite them</a></p>\n`;

/**
 * Returns links to the records of the first part and to the renames that the main page no longer shows, because their permalinks begin with
 * the main page. The style sheet shows only the link that the fragment names.
 */
function movedEntries({ account, renames }: BrowseAccount, older: BrowseAccount['parts']): Markup | '' {
  const [first, last] = [older[0], older.at(-1)];
  if (first === undefined || last === undefined) return '';
  const linkTo = (part: number, id: Markup) =>
    markup`<a id=${id} href="${fileOf(accountPage(account.screen_name, part))}#${id}">Go to this change</a>`;
  const records = account.data.filter(({ id }) => id <= first.last).map(({ id }) => linkTo(1, markup`r${id}`));
  const moved = [...renames].filter(([record]) => record <= last.last);
  const links = moved.flatMap(([record, all]) => all.map(({ id }) => linkTo(partOfRecord(older, record), id)));
  return markup`<p class=moved>${joined([...records, ...links], '\n')}</p>\n`;
}

/** Returns a link to a part, with the day of its first record. A part without a page is on the main page. */
function linkTo({ account, parts }: BrowseAccount) {
  return (part: number): Markup => {
    const first = account.data.find(({ id }) => id === parts[part - 1]?.first)?.first_encountered_date ?? '';
    const page = accountPage(account.screen_name, hasPage(part, parts.length) ? part : 0);
    return markup`<a href="${fileOf(page)}">${numberMarkup(part)} <small>${dateMarkup(first)}</small></a>`;
  };
}

/** All pages of an account are in one folder. */
function fileOf(path: Markup): Markup {
  return trusted(path.slice(path.lastIndexOf('/') + 1));
}
