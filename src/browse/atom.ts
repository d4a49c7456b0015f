import { timestampOf } from '../contract/instant.ts';
import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { Site } from '../contract/site.ts';
import type { FormerHolderText } from './accounts/browse-account.ts';
import type { RecordFacts } from './accounts/record-lookup.ts';
import { NO_RECORD, type Rename, renamedBy, renamesByRecord } from './accounts/renames.ts';
import { fullTime } from './dates.ts';
import { type ByteText, byteText, encodeFile, escapeText, joined, type Markup, markup, trusted } from './markup.ts';
import { isWebUrl } from './parse-diff-html.ts';
import {
  accountFeed,
  accountPage,
  accountPlace,
  CHANGES_FEED,
  changesArchive,
  changesPage,
  NEWEST_CHANGES,
  renameAddress,
} from './paths.ts';

const TITLE = 'Changes, renames and first values of public profiles';
/** The number of pages of changes in an archive of the feed. An archive has the number of its newest page. */
export const ARCHIVE_PAGES = 2;

/** Returns the number of the newest archive; 0: none. A page is archived when another one follows it. @param pages of all changes */
export function newestArchive(pages: number): number {
  return Math.max(0, pages - 1 - ((pages - 1) % ARCHIVE_PAGES));
}

/** The time of a document without entries, because Atom requires one. */
const NEVER = '1970-01-01T00:00:00Z';

/** What a feed needs to know about a record beyond the record itself. */
type FeedFacts = Pick<RecordFacts, 'addressOf' | 'handleAt'>;

/** What the entries of a feed are about. */
export interface FeedContents {
  /** Newest first. */
  readonly records: readonly ChangeRecord[];
  readonly renames: readonly Rename[];
  /** The change intervals of an account. A feed of all accounts has none: a full archive would change with them. */
  readonly observedBefore?: ReadonlyMap<number, string>;
}

/** A link of a document to a path of the tree. */
type Link = readonly [rel: 'self' | 'alternate' | 'current' | 'prev-archive', path: Markup];

/**
 * Returns the bytes of the feed of all changes (RFC 4287) or of one of its archives (RFC 5005). An archive has no link to the next one,
 * so that it never changes when that one is added.
 * @param newest the number of the newest archive
 * @param archive the number of the archive; 0 for the feed itself
 */
export function feedBytes(site: Site, newest: number, archive: number, contents: FeedContents, facts: FeedFacts): Buffer {
  const isArchive = archive > 0;
  const older = isArchive ? archive - ARCHIVE_PAGES : newest;
  const links: Link[] = [
    ['self', pathOf(archive)],
    ['alternate', isArchive ? changesPage(archive) : trusted(NEWEST_CHANGES)],
  ];
  if (isArchive) links.push(['current', pathOf(0)]);
  if (older > 0) links.push(['prev-archive', pathOf(older)]);
  const mark = isArchive ? markup`<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n` : '';
  const title = trusted(isArchive ? `${TITLE}, pages ${archive - 1} and ${archive}` : TITLE);
  return documentBytes(site, { id: pathOf(0), title, links }, timesOf(contents), [mark, ...entriesOf(site, contents, facts)]);
}

/**
 * Returns the bytes of the feed of a handle: records and renames of the account that has it, and an entry for each account that had it
 * before, because somebody can have followed that account here.
 */
export function accountFeedBytes(
  site: Site,
  handle: ByteText,
  contents: FeedContents,
  holders: readonly Pick<FormerHolderText, 'screen_name' | 'seen_to'>[],
  facts: FeedFacts,
): Buffer {
  const base = escapeText(site.base_url);
  const [id, name] = [accountFeed(handle), escapeText(handle)];
  const links: Link[] = [
    ['self', id],
    ['alternate', accountPage(handle)],
  ];
  const moved = holders.map(({ screen_name, seen_to }) => {
    const [page, feed] = [accountPage(screen_name), accountFeed(screen_name)];
    return markup`<entry><id>${base}/${id}#${trusted(accountPlace(screen_name).name)}</id><title>@${escapeText(screen_name)} had the handle @${name} before</title><updated>${trusted(seen_to)}</updated><link href="${base}/${page}"/><link rel="related" href="${base}/${feed}" type="application/atom+xml"/></entry>\n`;
  });
  const times = [...timesOf(contents), ...holders.map(({ seen_to }) => seen_to)];
  const title = markup`Changes, renames and first values of @${name}`;
  return documentBytes(site, { id, title, links }, times, [...entriesOf(site, contents, facts), ...moved]);
}

/**
 * Returns the bytes of a document. Its time is that of its newest entry, so the bytes depend only on the entries. Atom readers
 * need absolute addresses.
 */
function documentBytes(
  { base_url, about }: Site,
  { id, title, links }: { readonly id: Markup; readonly title: Markup; readonly links: readonly Link[] },
  times: readonly string[],
  entries: readonly (Markup | '')[],
): Buffer {
  const base = escapeText(base_url);
  return encodeFile(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/${id}</id>
<title>${title}</title>
<updated>${trusted(newestOf(times))}</updated>
<author>${author(about)}</author>
${joined(links.map(([rel, path]) => markup`<link rel="${rel}" href="${base}/${path}"/>\n`))}${joined(entries)}</feed>
`);
}

function author(about: Site['about']): Markup {
  if (about === undefined) return markup`<name>palimpsest</name>`;
  const { publisher, contact } = about;
  const address = contact === undefined ? '' : escapeText(byteText(contact));
  const element = isWebUrl(contact ?? '') ? markup`<uri>${address}</uri>` : markup`<email>${address}</email>`;
  return markup`<name>${escapeText(byteText(publisher))}</name>${address === '' ? '' : element}`;
}

function pathOf(archive: number): Markup {
  return archive === 0 ? trusted(CHANGES_FEED) : changesArchive(archive);
}

function entriesOf({ base_url }: Site, { records, renames, observedBefore }: FeedContents, facts: FeedFacts): readonly Markup[] {
  const base = escapeText(base_url);
  const above = renamesByRecord(renames, records);
  const entries = observedBefore && { records, renames: [...above.values()].flat(), observedBefore };
  const renamesAbove = (id: number) =>
    (above.get(id) ?? []).map((rename) => renameEntryOf(base, rename, entries && renamedBy(rename, entries)));
  return [...records.flatMap((record) => [...renamesAbove(record.id), entryOf(base, record, facts)]), ...renamesAbove(NO_RECORD)];
}

const PAGE_MAY_SAY = markup`. The page of the account may say by when it was done.`;

/**
 * The former handle is in the id of the entry, because accounts of one snapshot can have renames of one time.
 * @param by when it was done at the latest; undefined if that is not known
 */
function renameEntryOf(base: Markup, rename: Rename, by: string | undefined): Markup {
  const { id, before, after, seen_to } = rename;
  const time = timestampOf(seen_to);
  const title = markup`@${escapeText(before)} was renamed to @${escapeText(after)}`;
  const content = markup`@${escapeText(before)} was last seen on ${fullTime(time)}. The rename was done at an unknown time after that${by === undefined ? PAGE_MAY_SAY : markup` and by ${fullTime(by)}.`}`;
  return markup`<entry><id>${base}/rest/data/#${id}-${trusted(accountPlace(before).name)}</id><title>${title}</title><updated>${trusted(time)}</updated><link href="${base}/${renameAddress(rename)}"/><content>${content}</content></entry>\n`;
}

/**
 * The id of an entry is an address of the site that needs no page: it stays when pages move or accounts are renamed. The
 * content is the new value. The page of the account shows the difference.
 */
function entryOf(base: Markup, record: ChangeRecord, { addressOf, handleAt }: FeedFacts): Markup {
  const { id, data_type, text, first_encountered_date: time, web_archive_url: snapshot } = record;
  const via = snapshot !== null && isWebUrl(snapshot) ? markup`<link rel="via" href="${escapeText(snapshot)}"/>` : '';
  const isText = PROFILE_FIELDS[data_type].difference !== 'boolean' && text !== null && text !== '';
  const content = !isText ? '' : markup`<content>${escapeText(text)}</content>`;
  return markup`<entry><id>${base}/rest/data/#${id}</id><title>${titleOf(record, handleAt(record))}</title><updated>${trusted(time)}</updated><link href="${base}/${addressOf(record)}"/>${via}${content}</entry>
`;
}

/** @param handle of the account at the time of the record */
function titleOf({ account, data_type, previous, text }: ChangeRecord, handle: ByteText): Markup {
  const present = handle === account ? '' : markup` (now @${escapeText(account)})`;
  const who = markup`@${escapeText(handle)}${present}: `;
  // a first record is what was seen first, and not something that the account did
  const isFirst = previous === null;
  const field = trusted(data_type.toLowerCase());
  if (PROFILE_FIELDS[data_type].difference === 'boolean')
    return markup`${who}${isFirst ? 'first known as' : 'now'} ${text === 'true' ? '' : 'not '}${field}`;
  if (text === null || text === '') return isFirst ? markup`${who}first known ${field} is empty` : markup`${who}${field} is empty now`;
  return markup`${who}${isFirst ? 'first known' : 'new'} ${field}`;
}

function timesOf({ records, renames }: FeedContents): string[] {
  return [...records.map(({ first_encountered_date }) => first_encountered_date), ...renames.map(({ seen_to }) => timestampOf(seen_to))];
}

function newestOf(times: readonly string[]): string {
  let newest = '';
  // without the Z, a time with a fraction of a second sorts after the whole second
  for (const each of times) {
    const time = each.slice(0, -1);
    if (time > newest) newest = time;
  }
  return newest === '' ? NEVER : `${newest}Z`;
}
