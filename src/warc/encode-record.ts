import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { WARCRecord } from 'warcio';
import { sha256 } from '../contract/sha256.ts';

/** A record to write. */
export interface NewRecord {
  readonly type: 'warcinfo' | 'response' | 'request' | 'revisit';
  readonly id: string;
  /** In UTC, such as `2019-08-04T07:25:00Z`. */
  readonly date: string;
  /** Absent in a warcinfo record. */
  readonly url?: string;
  /** More header lines of the record. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the record in pieces: for a response its head and its body. */
  readonly block: readonly Uint8Array[];
  /** The digest of the body, such as `sha256:…`. */
  readonly payloadDigest?: string;
}

const CONTENT_TYPES = {
  warcinfo: 'application/warc-fields',
  response: 'application/http; msgtype=response',
  request: 'application/http; msgtype=request',
  revisit: 'application/http; msgtype=response',
};

const RECORD_END = Buffer.from('\r\n\r\n');

/**
 * Encodes a record of WARC 1.1. The same record gives the same bytes.
 * @returns the bytes in pieces. The pieces of the block are not copied
 */
export function encodeRecord({ type, id, date, url, headers, block, payloadDigest }: NewRecord): Uint8Array[] {
  const digest = createHash('sha256');
  for (const piece of block) digest.update(piece);
  const warcHeaders = {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    ...(url === undefined ? {} : { 'WARC-Target-URI': url }),
    'WARC-Date': date,
    ...headers,
    'Content-Type': CONTENT_TYPES[type],
    'WARC-Block-Digest': `sha256:${digest.digest('hex')}`,
    ...(payloadDigest === undefined ? {} : { 'WARC-Payload-Digest': payloadDigest }),
    'Content-Length': String(block.reduce((length, piece) => length + piece.length, 0)),
  };
  // warcio writes only the header: its serializer copies the block several times, which takes as long as the compression
  const { warcHeaders: header } = WARCRecord.create({
    type,
    date,
    warcVersion: 'WARC/1.1',
    warcHeaders,
    ...(url === undefined ? {} : { url }),
  });
  // of a revisit, warcio knows one profile only
  for (const [name, value] of Object.entries(headers ?? {})) header.headers.set(name, value);
  return [Buffer.from(`${header.toString()}\r\n`), ...block, RECORD_END];
}

/** Returns a digest in the form of WARC headers. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256(bytes)}`;
}

const compress = promisify(gzip);
const GZIP_OPTIONS = {
  // twice as fast as the default level 6. The result is 13 % larger
  level: 3,
  // enough for the compressed form of a usual page, so that it needs one buffer
  chunkSize: 1 << 16,
};

/** Compresses a record as a gzip member of its own, so that a reader can begin at any record. Another thread does it. */
export async function gzipMember(record: readonly Uint8Array[]): Promise<Buffer> {
  return await compress(Buffer.concat(record), GZIP_OPTIONS);
}

/** Like {@link gzipMember}, but on this thread. */
export function gzipMemberSync(record: readonly Uint8Array[]): Buffer {
  return gzipSync(Buffer.concat(record), GZIP_OPTIONS);
}
