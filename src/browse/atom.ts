import type { ChangeRecord } from '../contract/record.ts';
import { type ByteText, encodeFile, escapeText } from './byte-text.ts';
import { isWebUrl } from './diff-segments.ts';
import type { AddressOf } from './record-addresses.ts';

/** The contents of an Atom document (RFC 4287), or of an archive with older entries of one (RFC 5005). */
export interface AtomDocument {
  /** Of the feed that the document belongs to. No other feed ever has the same id, relative to the base URL. */
  readonly id: ByteText;
  readonly title: ByteText;
  /** The records of the document, newest first. */
  readonly records: readonly ChangeRecord[];
  /** Paths in the tree. */
  readonly path: ByteText;
  /** The page that shows the same to people. */
  readonly page: ByteText;
  /** The document with the newest entries; equal to `path` if it is this document. */
  readonly current: ByteText;
  /** The archives with the entries before and after those of this document; undefined: there is none. */
  readonly older: ByteText | undefined;
  readonly newer: ByteText | undefined;
}

/** The time of a document without entries, because Atom requires one. */
const NEVER = '1970-01-01T00:00:00Z';

/**
 * Returns the bytes of an Atom document. Its time is that of its newest entry, so the bytes depend only on the records.
 * @param baseUrl the base URL of the site: Atom readers need absolute addresses
 */
export function atomBytes(baseUrl: string, document: AtomDocument, addressOf: AddressOf): Buffer {
  const { id, title, records, path, page, current, older, newer } = document;
  const base = escapeText(baseUrl);
  const isArchive = path !== current;
  let entries = isArchive ? '<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n' : '';
  for (const record of records) entries += entryOf(base, record, addressOf(record));
  const links: AtomLink[] = [
    ['self', path],
    ['alternate', page],
  ];
  if (isArchive) links.push(['current', current]);
  if (older !== undefined) links.push(['prev-archive', older]);
  if (newer !== undefined) links.push(['next-archive', newer]);
  return encodeFile(atomMarkup(baseUrl, { id, title, updated: newestTime(records), links, entries }));
}

/** A link of a document to a path in the tree. */
type AtomLink = readonly [rel: string, path: ByteText];

/** Returns the markup of an Atom document. @param entries their markup */
export function atomMarkup(
  baseUrl: string,
  {
    id,
    title,
    updated,
    links,
    entries,
  }: Pick<AtomDocument, 'id' | 'title'> & { readonly updated: string; readonly links: readonly AtomLink[]; readonly entries: ByteText },
): ByteText {
  const base = escapeText(baseUrl);
  const linked = links.map(([rel, path]) => `<link rel="${rel}" href="${base}/${escapeText(path)}"/>\n`);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/${id}</id>
<title>${escapeText(title)}</title>
<updated>${updated}</updated>
<author><name>palimpsest</name></author>
${linked.join('')}${entries}</feed>
`;
}

/**
 * The id of an entry is an address of the site that needs no page: it stays when pages move or accounts are renamed. The
 * content is the new value. The page of the account shows the difference.
 */
function entryOf(base: ByteText, record: ChangeRecord, address: ByteText): ByteText {
  const { id, data_type, text, first_encountered_date: time, web_archive_url: snapshot } = record;
  const via = snapshot !== null && snapshot !== '' && isWebUrl(snapshot) ? `<link rel="via" href="${escapeText(snapshot)}"/>` : '';
  const content = data_type === 'Verified' || text === null || text === '' ? '' : `<content>${escapeText(text)}</content>`;
  return `<entry><id>${base}/rest/data/#${id}</id><title>${titleOf(record)}</title><updated>${time}</updated><link href="${base}/${address}"/>${via}${content}</entry>
`;
}

function titleOf({ account, data_type, previous, text }: ChangeRecord): ByteText {
  const who = `@${escapeText(account)}`;
  // a first record is what was seen first, and not something that the account did
  const isFirst = previous === null;
  if (data_type === 'Verified') return `${who} ${text !== 'true' ? 'is not' : isFirst ? 'is' : 'became'} verified`;
  const field = data_type.toLowerCase();
  const isEmpty = text === null || text === '';
  if (isFirst) return isEmpty ? `${who} has no ${field}` : `${who}: first known ${field}`;
  return `${who} ${isEmpty ? 'removed' : 'changed'} ${field}`;
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
