import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { resolveWithBrowse } from '../rewrite/browse.ts';
import type { Answer } from '../rewrite/resolve.ts';
import { slotAt } from '../tree/layout.ts';
import { readVerifiedBrowseSync, readVerifiedSync, type VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { encodeRecord, gzipMember } from '../warc/encode-record.ts';
import { recordId } from '../warc/record-id.ts';
import type { BrowseAddresses, RequestedFile } from './browse-addresses.ts';
import { inOrder } from './in-order.ts';

/** A record of a WARC, as its bytes and what an index says of it. */
export interface PlacedRecord {
  /** Undefined for the warcinfo record. */
  readonly page: Requested | undefined;
  /** Its bytes in pieces, and their number. */
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  /** The position of its first byte in the WARC. */
  readonly offset: number;
}

/** A page by the address at which clients request it. */
export interface RequestedPage {
  readonly collection: Collection;
  /** The number in the query; undefined for the address without a query. */
  readonly number: number | undefined;
}

/** A page or a browse file. */
export type Requested = RequestedPage | RequestedFile;

export interface WarcOptions {
  /** The date of all records, see {@link siteDate}. */
  readonly date: string;
  /** Whether each record is a gzip member. */
  readonly isCompressed: boolean;
  readonly onProgress?: ((files: number, all: number, bytes: number) => void) | undefined;
}

/** Pages that are compressed at the same time. This thread reads and hashes the next ones meanwhile. */
const WIDTH = 8;

/**
 * Yields the records of a WARC with every page of a tree at its real address: `/rest/data/`, `?page=1`, `?page=2` and so
 * on. The browse files follow. Each file is compared with the manifest. Memory does not grow with the tree.
 * @throws Failure tree-edited
 */
export async function* warcRecords(tree: VerifiedTree, browse: BrowseAddresses, options: WarcOptions): AsyncGenerator<PlacedRecord> {
  const { isCompressed, onProgress } = options;
  const all = tree.build.data_pages + tree.build.account_pages + COLLECTIONS.length + browse.count;
  let [offset, pages, pageBytes] = [0, 0, 0];
  const finish = async (record: readonly Uint8Array[]) => (isCompressed ? [await gzipMember(record)] : record);
  const place = (page: Requested | undefined, pieces: readonly Uint8Array[]): PlacedRecord => {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    offset += length;
    return { page, pieces, length, offset: offset - length };
  };
  yield place(undefined, await finish(infoRecord(tree, options.date)));
  const encode = async (page: Requested) => {
    const body = readPage(tree, page);
    return { page, length: body.length, pieces: await finish(responseRecord(tree, page, body, options.date)) };
  };
  for await (const { page, length, pieces } of inOrder(requested(tree, browse), WIDTH, encode)) {
    yield place(page, pieces);
    pageBytes += length;
    pages += 1;
    onProgress?.(pages, all, pageBytes);
  }
}

function* requested({ digests }: VerifiedTree, browse: BrowseAddresses): Generator<Requested> {
  for (const collection of COLLECTIONS) {
    yield { collection, number: undefined };
    for (let number = 1; number <= digests[collection].pages; number += 1) yield { collection, number };
  }
  yield* browse.all();
}

/** Returns the address at which clients request a page or a browse file. */
export function addressOf(baseUrl: string, page: Requested): string {
  if ('address' in page) return `${baseUrl}/${page.address}`;
  const { collection, number } = page;
  return `${baseUrl}/rest/${collection}/${number === undefined ? '' : `?page=${number}`}`;
}

/** Returns the digest of a file in the form of WARC headers. */
export function payloadDigest({ digests }: VerifiedTree, page: Requested): string {
  if ('address' in page) return `sha256:${page.digest}`;
  const { collection, number = 1 } = page;
  return `sha256:${digests[collection].get(number)}`;
}

function infoRecord({ build }: VerifiedTree, date: string): Uint8Array[] {
  const lines = [
    `software: palimpsest ${VERSION}`,
    'format: WARC File Format 1.1',
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: ${build.base_url}`,
    'description: The pages of a JSON API at their addresses. No server sent them: palimpsest wrote each response from a file of the ' +
      'published tree, with the headers of the API. The date of all records is the date of the newest change.',
    `palimpsest-base-url: ${build.base_url}`,
    `palimpsest-records: ${build.records}`,
    `palimpsest-accounts: ${build.accounts}`,
    `palimpsest-manifest: sha256:${build.manifest}`,
  ];
  const block = Buffer.from(`${lines.join('\r\n')}\r\n`);
  return encodeRecord({ type: 'warcinfo', id: infoId(build.manifest, date), date, block: [block] });
}

function infoId(manifest: string, date: string): string {
  return recordId('warcinfo', manifest, date);
}

/** Returns the answer of a host to the request for a page or a browse file. */
export function answerTo(baseUrl: string, page: Requested): Answer {
  const { pathname, search } = new URL(addressOf(baseUrl, page));
  const root = new URL(baseUrl).pathname;
  return resolveWithBrowse('GET', pathname, search.slice(1), root === '/' ? '' : root, '');
}

/** Reads a page or a browse file. @throws Failure tree-edited */
function readPage(tree: VerifiedTree, page: Requested): Buffer {
  if ('address' in page) return readVerifiedBrowseSync(tree, page);
  const { file = '' } = answerTo(tree.build.base_url, page);
  return readVerifiedSync(tree, page.collection, slotAt(page.collection, file, tree.digests[page.collection].pages) ?? 0);
}

function responseRecord(tree: VerifiedTree, page: Requested, body: Buffer, date: string): Uint8Array[] {
  const { build } = tree;
  const url = addressOf(build.base_url, page);
  const { status, headers } = answerTo(build.base_url, page);
  const payload = payloadDigest(tree, page);
  const head = [
    `HTTP/1.1 ${status} OK`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `ETag: "${payload.slice('sha256:'.length).slice(0, 32)}"`,
    `Content-Length: ${body.length}`,
  ];
  return encodeRecord({
    type: 'response',
    id: recordId('response', build.manifest, date, url),
    date,
    url,
    headers: { 'WARC-Warcinfo-ID': infoId(build.manifest, date) },
    block: [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body],
    payloadDigest: payload,
  });
}
