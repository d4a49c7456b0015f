import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { WARCRecord, WARCSerializer } from 'warcio';
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
  /** The bytes of the record: for a response its head and its body. */
  readonly block: Uint8Array;
  /** The digest of the body, such as `sha256:…`. */
  readonly payloadDigest?: string;
}

const CONTENT_TYPES = {
  warcinfo: 'application/warc-fields',
  response: 'application/http; msgtype=response',
  request: 'application/http; msgtype=request',
  revisit: 'application/http; msgtype=response',
};

/** Encodes a record of WARC 1.1. The same record gives the same bytes. */
export async function encodeRecord({ type, id, date, url, headers, block, payloadDigest }: NewRecord): Promise<Uint8Array> {
  const warcHeaders = {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    ...(url === undefined ? {} : { 'WARC-Target-URI': url }),
    'WARC-Date': date,
    ...headers,
    'Content-Type': CONTENT_TYPES[type],
    // warcio takes digests that are there: its own, in WebAssembly, take several times as long
    'WARC-Block-Digest': await digestOf(block),
    ...(payloadDigest === undefined ? {} : { 'WARC-Payload-Digest': payloadDigest }),
  };
  const record = WARCRecord.create({ type, date, warcVersion: 'WARC/1.1', warcHeaders, ...(url === undefined ? {} : { url }) }, [block]);
  // of a revisit, warcio knows one profile only
  for (const [name, value] of Object.entries(headers ?? {})) record.warcHeaders.headers.set(name, value);
  // the block has its HTTP head already
  record.httpHeaders = null;
  return await WARCSerializer.serialize(record);
}

/** Returns a digest in the form of WARC headers. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256(bytes)}`;
}

const compress = promisify(gzip);
/** 2 % larger than the default level 6, and 1.4 times as fast. */
const LEVEL = 5;

/** Compresses a record as a gzip member of its own, so that a reader can begin at any record. */
export async function gzipMember(record: Uint8Array): Promise<Buffer> {
  return await compress(record, { level: LEVEL });
}
