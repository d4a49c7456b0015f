import { hash } from 'node:crypto';
import { resolve } from '../rewrite/resolve.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { ManifestLine } from '../tree/manifest/lines.ts';
import { readVerified, type VerifiedTree } from '../tree/verified-tree.ts';
import { encodeRecord, gzipMemberSync } from '../warc/encode-record.ts';
import type { Requested } from './page-urls.ts';

/** The input of a thread that encodes records. */
export interface EncoderJob {
  readonly out: string;
  readonly build: BuildRecord;
  /** The date of all records. */
  readonly date: string;
  /** Whether each record is a gzip member. */
  readonly isCompressed: boolean;
}

/** The records of several pages, one after another. */
export interface EncodedRecords {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The length of each record. */
  readonly lengths: readonly number[];
  /** The number of bytes of the pages. */
  readonly pageBytes: number;
}

/** Returns the digest of a file in the form of WARC headers. */
export function payloadDigest({ digest }: ManifestLine): string {
  return `sha256:${digest}`;
}

/** Returns the Content-Type with which a host answers a request for a URL of the site. */
export function contentType(baseUrl: string, url: string): string {
  const { pathname, search } = new URL(url);
  const root = new URL(baseUrl).pathname;
  return resolve('GET', pathname, search.slice(1), root === '/' ? '' : root, true).headers['Content-Type'] ?? '';
}

export function infoId({ manifest }: BuildRecord, date: string): string {
  return recordId('warcinfo', manifest, date);
}

/**
 * Reads pages, compares them with the manifest, and encodes them as resource records.
 * @throws Failure tree-edited
 */
export function encodeRecords(
  files: VerifiedTree['files'],
  { build, date, isCompressed }: EncoderJob,
  pages: readonly Requested[],
): EncodedRecords {
  const [records, lengths]: [Uint8Array[], number[]] = [[], []];
  let pageBytes = 0;
  for (const page of pages) {
    const body = readVerified({ files }, page);
    const pieces = resourceRecord(build, page, body, date);
    const record = isCompressed ? [gzipMemberSync(pieces)] : pieces;
    records.push(...record);
    lengths.push(record.reduce((length, piece) => length + piece.length, 0));
    pageBytes += body.length;
  }
  return { bytes: inOnePiece(records), lengths, pageBytes };
}

/** Encodes the record of a page or a browse file. It is not a response, because no server sent it. Returns it in pieces. */
function resourceRecord(build: BuildRecord, page: Requested, body: Buffer, date: string): Uint8Array[] {
  const url = `${build.base_url}/${page.address}`;
  return encodeRecord({
    type: 'resource',
    contentType: contentType(build.base_url, url),
    id: recordId('resource', build.manifest, date, url),
    date,
    url,
    headers: { 'WARC-Warcinfo-ID': infoId(build, date) },
    block: [body],
    payloadDigest: payloadDigest(page),
  });
}

/** Copies pieces into memory that can be moved to another thread. Buffer.concat takes shared memory for few bytes. */
function inOnePiece(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let length = 0;
  for (const piece of pieces) {
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes;
}

/** Returns a WARC-Record-ID that follows from the parts: a UUID of version 8 with bits of their SHA-256. */
export function recordId(...parts: readonly string[]): string {
  const digits = hash('sha256', parts.join('\n'));
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ];
  return `<urn:uuid:${groups.join('-')}>`;
}
