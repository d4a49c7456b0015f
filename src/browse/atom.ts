import type { ChangeRecord } from '../contract/record.ts';
import type { Site } from '../contract/site.ts';
import type { RecordFacts } from './accounts/record-lookup.ts';
import { isWebUrl } from './diff-segments.ts';
import { type ByteText, byteText, encodeFile, escapeText, joined, type Markup, markup, trusted } from './markup.ts';
import { CHANGES_FEED, changesArchive, changesPage, NEWEST_CHANGES } from './paths.ts';

const TITLE = 'Changes and first values of public profiles';
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

/**
 * Returns the bytes of the feed of all changes (RFC 4287) or of one of its archives (RFC 5005). Its time is that of its newest
 * entry, so the bytes depend only on the records. Atom readers need absolute addresses.
 * @param newest the number of the newest archive
 * @param archive the number of the archive; 0 for the feed itself
 * @param records newest first
 */
export function feedBytes(
  { base_url, about }: Site,
  newest: number,
  archive: number,
  records: readonly ChangeRecord[],
  facts: FeedFacts,
): Buffer {
  const base = escapeText(base_url);
  const isArchive = archive > 0;
  const link = (rel: 'self' | 'alternate' | 'current' | 'prev-archive' | 'next-archive', path: Markup) =>
    markup`<link rel="${rel}" href="${base}/${path}"/>\n`;
  const older = isArchive ? archive - ARCHIVE_PAGES : newest;
  const links: readonly (Markup | '')[] = [
    link('self', pathOf(archive)),
    link('alternate', isArchive ? changesPage(archive) : trusted(NEWEST_CHANGES)),
    isArchive ? link('current', pathOf(0)) : '',
    older > 0 ? link('prev-archive', pathOf(older)) : '',
    isArchive && archive < newest ? link('next-archive', pathOf(archive + ARCHIVE_PAGES)) : '',
  ];
  const mark = isArchive ? '<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n' : '';
  return encodeFile(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/${pathOf(0)}</id>
<title>${trusted(isArchive ? `${TITLE}, pages ${archive - 1} and ${archive}` : TITLE)}</title>
<updated>${trusted(newestTime(records))}</updated>
<author>${author(about)}</author>
${joined(links)}${mark}${joined(records.map((record) => entryOf(base, record, facts)))}</feed>
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

/**
 * The id of an entry is an address of the site that needs no page: it stays when pages move or accounts are renamed. The
 * content is the new value. The page of the account shows the difference.
 */
function entryOf(base: Markup, record: ChangeRecord, { addressOf, handleAt }: FeedFacts): Markup {
  const { id, data_type, text, first_encountered_date: time, web_archive_url: snapshot } = record;
  const via = snapshot !== null && isWebUrl(snapshot) ? markup`<link rel="via" href="${escapeText(snapshot)}"/>` : '';
  const content = data_type === 'Verified' || text === null || text === '' ? '' : markup`<content>${escapeText(text)}</content>`;
  return markup`<entry><id>${base}/rest/data/#${id}</id><title>${titleOf(record, handleAt(record))}</title><updated>${trusted(time)}</updated><link href="${base}/${addressOf(record)}"/>${via}${content}</entry>
`;
}

/** @param handle of the account at the time of the record */
function titleOf({ account, data_type, previous, text }: ChangeRecord, handle: ByteText): Markup {
  const present = handle === account ? '' : markup` (now @${escapeText(account)})`;
  const who = markup`@${escapeText(handle)}${present}: `;
  // a first record is what was seen first, and not something that the account did
  const isFirst = previous === null;
  if (data_type === 'Verified') return markup`${who}${isFirst ? 'first known as' : 'now'} ${text === 'true' ? '' : 'not '}verified`;
  const field = trusted(data_type.toLowerCase());
  if (text === null || text === '') return isFirst ? markup`${who}first known ${field} is empty` : markup`${who}${field} is empty now`;
  return markup`${who}${isFirst ? 'first known' : 'new'} ${field}`;
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
