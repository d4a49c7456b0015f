import type { Collection } from '../contract/collection.ts';
import { type Answer, resolve } from '../rewrite/resolve.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { slotAt } from '../tree/layout.ts';
import { readVerifiedFileSync, readVerifiedSync, type VerifiedTree } from '../tree/verified-tree.ts';
import { encodeRecord } from '../warc/encode-record.ts';
import { recordId } from '../warc/record-id.ts';
import type { RequestedFile } from './browse-addresses.ts';

/** A page by the address at which clients request it. */
export interface RequestedPage {
  readonly collection: Collection;
  /** The number in the query; undefined for the address without a query. */
  readonly number: number | undefined;
}

/** A page or a browse file. */
export type Requested = RequestedPage | RequestedFile;

/** A tree without the list of its browse files. */
export type PageFiles = Pick<VerifiedTree, 'files' | 'build' | 'digests'>;

/** Returns the address at which clients request a page or a browse file. */
export function addressOf(baseUrl: string, page: Requested): string {
  if ('address' in page) return `${baseUrl}/${page.address}`;
  const { collection, number } = page;
  return `${baseUrl}/rest/${collection}/${number === undefined ? '' : `?page=${number}`}`;
}

/** Returns the digest of a file in the form of WARC headers. */
export function payloadDigest({ digests }: Pick<VerifiedTree, 'digests'>, page: Requested): string {
  if ('address' in page) return `sha256:${page.digest}`;
  const { collection, number = 1 } = page;
  return `sha256:${digests[collection].get(number)}`;
}

/** Returns the answer of a host to the request for a page or a browse file. */
export function answerTo(baseUrl: string, page: Requested): Answer {
  const { pathname, search } = new URL(addressOf(baseUrl, page));
  const root = new URL(baseUrl).pathname;
  return resolve('GET', pathname, search.slice(1), root === '/' ? '' : root, true);
}

/** Returns the id of the warcinfo record. */
export function infoId({ manifest }: BuildRecord, date: string): string {
  return recordId('warcinfo', manifest, date);
}

/** Reads a page or a browse file. @throws Failure tree-edited */
function readPage(files: PageFiles, page: Requested, { file = '' }: Answer): Buffer {
  if ('address' in page) return readVerifiedFileSync(files, page);
  return readVerifiedSync(files, page.collection, slotAt(page.collection, file, files.digests[page.collection].pages) ?? 0);
}

/**
 * Reads a page or a browse file, and encodes its response record.
 * @returns the record in pieces, and the number of bytes of the page
 * @throws Failure tree-edited
 */
export function responseRecord(
  files: PageFiles,
  page: Requested,
  date: string,
): { readonly pieces: readonly Uint8Array[]; readonly pageBytes: number } {
  const { build } = files;
  const url = addressOf(build.base_url, page);
  const answer = answerTo(build.base_url, page);
  const { status, headers } = answer;
  const body = readPage(files, page, answer);
  const payload = payloadDigest(files, page);
  const head = [
    `HTTP/1.1 ${status} OK`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `ETag: "${payload.slice('sha256:'.length).slice(0, 32)}"`,
    `Content-Length: ${body.length}`,
  ];
  const pieces = encodeRecord({
    type: 'response',
    id: recordId('response', build.manifest, date, url),
    date,
    url,
    headers: { 'WARC-Warcinfo-ID': infoId(build, date) },
    block: [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body],
    payloadDigest: payload,
  });
  return { pieces, pageBytes: body.length };
}
