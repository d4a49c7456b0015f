import { accepts, type Found, hexOf, type Open, type Source, type Wanted } from './answer.ts';
import { type Dated, versionAt } from './as-of.ts';
import { type Answer, lastValueOf } from './resolve.ts';
import { gzipOf, type IndexPlace, type ReadPart, rowOf } from './zip-member.ts';

/**
 * Finds files in the versions of a site: each is a ZIP, and head.json names the live ones. Hosts run this source too, in
 * the dialect of answer.ts.
 */

/** What a host needs besides reading files. */
export interface Tools {
  /** Returns the SHA-256 of a text. */
  readonly sha256: (text: string) => Promise<Uint8Array> | Uint8Array;
  /** Unpacks a gzip body and checks its length and CRC-32; undefined if the host unpacks bodies itself. */
  readonly gunzip: ((bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>) | undefined;
  /** The base URL in the links of API pages; undefined for that of the site. */
  readonly baseUrl?: string | undefined;
}

/** A version in head.json. */
interface Version extends Dated {
  /** The path of the ZIP. */
  readonly file: string;
  readonly index: IndexPlace;
}

/** The parts of head.json that readers need. */
interface Head {
  readonly kind: string;
  readonly base_url: string;
  /** In ascending order. The last one is current. */
  readonly versions: readonly Version[];
}

/** Returns the source of a site with versions. It reads head.json for each file. */
export function inVersions(open: Open, tools: Tools): Source {
  const find = async (wanted: Wanted): Promise<Found | Answer> => {
    const head = await readHead(open, tools);
    const isPage = /^rest/.test(wanted.file);
    const asOf = wanted.asOf === undefined && isPage ? lastValueOf(wanted.query, 'as_of') || undefined : wanted.asOf;
    const version = versionAt(head.versions, asOf);
    if ('status' in version) return version;
    const read: ReadPart = async (from, length) => {
      const bytes = await open(version.file, { from, length });
      if (bytes === undefined || bytes.length !== length) throw new Error(`${version.file} is missing or too short`);
      return bytes;
    };
    const hash = await tools.sha256(wanted.file);
    const row = await rowOf(hash, version.index, read);
    const number = String(version.number);
    const headers: { [name: string]: string } = { 'Palimpsest-Version': number };
    if (row === undefined) return Object.assign({}, wanted.missing, { headers: Object.assign(headers, wanted.missing.headers) });
    headers['Vary'] = `${isPage ? 'Accept, ' : ''}Accept-Encoding`;
    // the next version may answer for a time that now selects the newest one
    const isNewest = version === head.versions[head.versions.length - 1];
    if (asOf === number || (asOf !== undefined && !isNewest)) headers['Cache-Control'] = 'public, max-age=3600';
    const own = tools.baseUrl || head.base_url;
    const base = wanted.asOf === undefined ? own : `${own}/as_of/${number}`;
    const parameter = asOf === undefined || base !== own ? '' : `as_of=${number}`;
    const isChanged = isPage && (base !== head.base_url || parameter !== '');
    return {
      etag: `W/"${hexOf(row.subarray(26))}${asOf === undefined ? '' : `-${number}`}"`,
      headers,
      read: async (encodings) => {
        const packed = await gzipOf(wanted.file, row, read, isChanged ? (text) => withLinks(text, base, parameter) : undefined);
        // also for a client that accepts gzip: it checks the bytes
        let bytes = packed;
        if (tools.gunzip !== undefined) bytes = await tools.gunzip(packed);
        return bytes === packed || accepts(encodings, 'gzip') ? { bytes: packed, coding: 'gzip' } : { bytes };
      },
    };
  };
  return { hasPast: true, find };
}

async function readHead(open: Open, tools: Tools): Promise<Head> {
  const bytes = await open('head.json');
  const text = new TextDecoder().decode(bytes || new Uint8Array(0));
  const end = text.lastIndexOf(',"digest":"');
  const digest = await tools.sha256(text.slice(0, end));
  const head: Head = text.slice(end + 11, end + 75) === hexOf(digest) ? JSON.parse(text) : {};
  if (head.kind !== 'site' || !head.versions.length) throw new Error('head.json is missing or damaged');
  return head;
}

/**
 * Changes the links in the beginning of a page.
 * @param text up to and with the bracket before the items
 * @param base the new base URL
 * @param parameter the parameter that is added, such as `as_of=17`, or ''
 */
export function withLinks(text: string, base: string, parameter: string): string {
  const added = (mark: string) => (parameter ? `?${parameter}${mark && '&'}` : mark);
  const link = (url: string | null) => url && base + url.slice(url.lastIndexOf('/rest/')).replace(/\?|$/, added);
  const page = JSON.parse(`${text}]}`);
  return JSON.stringify(Object.assign(page, { next: link(page.next), previous: link(page.previous) })).slice(0, -2);
}
