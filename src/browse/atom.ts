import type { Account } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { Store } from '../store/store.ts';
import type { AddressOf } from './account-parts.ts';
import { type ByteText, encodeFile, escapeText, joined, type Markup, markup, parseRecords, trusted } from './byte-text.ts';
import { isWebUrl } from './diff-segments.ts';
import { ARCHIVES_IN_PART, type BrowseFile, type RenderedState } from './parts.ts';
import { accountFeed, accountPage, CHANGES_FEED, changesArchive, changesPage } from './paths.ts';

/**
 * Yields the Atom feed of all changes, in part 0, and the archives of a part.
 */
export function* changeFeeds(
  store: Store,
  baseUrl: string,
  part: number,
  rendered: RenderedState,
  addressOf: AddressOf,
): Generator<BrowseFile> {
  const { records, feed } = store.revision;
  const archives = changesArchives(records);
  // an archive that has another one after it changes only if its records do
  const settled = feed <= rendered.revision ? archives : changesArchives(rendered.records) - 1;
  const last = Math.min(archives, (part + 1) * ARCHIVES_IN_PART);
  const file = (archive: number, isOld: boolean, read: () => Buffer): BrowseFile => ({
    path: CHANGES.pathOf(archive),
    render: isOld ? undefined : () => [feedBytes(baseUrl, CHANGES, archives, archive, parseRecords(read()), addressOf)],
  });
  if (part === 0) yield file(0, feed <= rendered.revision, () => store.feed().take(ATOM_RECORDS).json);
  // the cursor reads from the newest record of the part to the oldest
  const cursor = store.feed(records - last * ATOM_RECORDS);
  for (let archive = last; archive > part * ARCHIVES_IN_PART; archive -= 1) {
    yield file(archive, archive <= settled, () => cursor.take(ATOM_RECORDS).json);
  }
}

/** The number of records in an Atom document of all changes. */
const ATOM_RECORDS = 100;

/**
 * Returns the number of archives of the feed of all changes. Archives count hundreds from the oldest record, so later
 * records never change their entries. The newest records, up to a hundred, are only in the feed itself.
 */
export function changesArchives(records: number): number {
  return Math.max(0, Math.ceil(records / ATOM_RECORDS) - 1);
}

/** An Atom feed (RFC 4287) with archives of its older entries (RFC 5005). */
interface Feed {
  /** No other feed ever has the same id, relative to the base URL. */
  readonly id: Markup;
  readonly title: ByteText;
  /** Returns the path of an archive, which are numbered from 1 for the oldest, or of the feed itself, 0. */
  readonly pathOf: (archive: number) => Markup;
  /** Returns the path of the page that shows the same to people. */
  readonly pageOf: (archive: number) => Markup;
}

const CHANGES: Feed = {
  id: trusted(CHANGES_FEED),
  title: 'Changes of public profiles',
  pathOf: (archive) => (archive === 0 ? trusted(CHANGES_FEED) : changesArchive(archive)),
  pageOf: () => changesPage(1),
};

/**
 * Returns the feed of an account. Its archives have the records of the parts that its main page does not show.
 * The id has its first record and not its handle, because another account can have the handle later (RFC 4287, 4.2.6).
 */
export function feedOf({ screen_name: handle, data }: Account): Feed {
  const first = data.at(-1);
  return {
    id: first === undefined ? accountFeed(handle) : markup`browse/account/#${first.id}`,
    title: `Changes of @${handle}`,
    pathOf: (archive) => accountFeed(handle, archive),
    pageOf: (archive) => accountPage(handle, archive),
  };
}

/** The time of a document without entries, because Atom requires one. */
const NEVER = '1970-01-01T00:00:00Z';

/**
 * Returns the bytes of a feed or of one of its archives. Its time is that of its newest entry, so the bytes depend only on the records.
 * @param baseUrl the base URL of the site: Atom readers need absolute addresses
 * @param archives the number of archives
 * @param archive the number of the archive; 0 for the feed itself
 * @param records newest first
 */
export function feedBytes(
  baseUrl: string,
  { id, title, pathOf, pageOf }: Feed,
  archives: number,
  archive: number,
  records: readonly ChangeRecord[],
  addressOf: AddressOf,
): Buffer {
  const base = escapeText(baseUrl);
  const isArchive = archive > 0;
  const mark = isArchive ? '<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n' : '';
  const entries = markup`${mark}${joined(records.map((record) => entryOf(base, record, addressOf(record))))}`;
  const links: AtomLink[] = [
    ['self', pathOf(archive)],
    ['alternate', pageOf(archive)],
  ];
  const older = isArchive ? archive - 1 : archives;
  if (isArchive) links.push(['current', pathOf(0)]);
  if (older > 0) links.push(['prev-archive', pathOf(older)]);
  if (isArchive && archive < archives) links.push(['next-archive', pathOf(archive + 1)]);
  const whole = isArchive ? `${title}, archive ${archive}` : title;
  return encodeFile(atomMarkup(baseUrl, { id, title: whole, updated: newestTime(records), links, entries }));
}

/** A link of a document to a path in the tree. */
type AtomLink = readonly [rel: 'self' | 'alternate' | 'current' | 'prev-archive' | 'next-archive', path: Markup];

/** Returns the markup of an Atom document. @param entries their markup */
export function atomMarkup(
  baseUrl: string,
  {
    id,
    title,
    updated,
    links,
    entries,
  }: Pick<Feed, 'id' | 'title'> & { readonly updated: string; readonly links: readonly AtomLink[]; readonly entries: Markup },
): Markup {
  const base = escapeText(baseUrl);
  const linked = links.map(([rel, path]) => markup`<link rel="${rel}" href="${base}/${path}"/>\n`);
  return markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/${id}</id>
<title>${escapeText(title)}</title>
<updated>${trusted(updated)}</updated>
<author><name>palimpsest</name></author>
${joined(linked)}${entries}</feed>
`;
}

/**
 * The id of an entry is an address of the site that needs no page: it stays when pages move or accounts are renamed. The
 * content is the new value. The page of the account shows the difference.
 */
function entryOf(base: Markup, record: ChangeRecord, address: Markup): Markup {
  const { id, data_type, text, first_encountered_date: time, web_archive_url: snapshot } = record;
  const via = snapshot !== null && snapshot !== '' && isWebUrl(snapshot) ? markup`<link rel="via" href="${escapeText(snapshot)}"/>` : '';
  const content = data_type === 'Verified' || text === null || text === '' ? '' : markup`<content>${escapeText(text)}</content>`;
  return markup`<entry><id>${base}/rest/data/#${id}</id><title>${titleOf(record)}</title><updated>${trusted(time)}</updated><link href="${base}/${address}"/>${via}${content}</entry>
`;
}

function titleOf({ account, data_type, previous, text }: ChangeRecord): Markup {
  const who = markup`@${escapeText(account)}`;
  // a first record is what was seen first, and not something that the account did
  const isFirst = previous === null;
  if (data_type === 'Verified') return markup`${who} ${text !== 'true' ? 'is not' : isFirst ? 'is' : 'became'} verified`;
  const field = trusted(data_type.toLowerCase());
  const isEmpty = text === null || text === '';
  if (isFirst) return isEmpty ? markup`${who} has no ${field}` : markup`${who}: first known ${field}`;
  return markup`${who} ${isEmpty ? 'removed' : 'changed'} ${field}`;
}

function newestTime(records: readonly ChangeRecord[]): string {
  let newest = '';
  // without the Z, a time with a fraction of a second sorts after the whole second
  for (const { first_encountered_date } of records) {
    const time = first_encountered_date.slice(0, -1);
    if (time > newest) newest = time;
  }
  return newest === '' ? NEVER : `${newest}Z`;
}
