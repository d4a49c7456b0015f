import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { MAX_BLOCK } from './read-records.ts';

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The bytes after the head, and the same without chunks. */
  readonly sent: Buffer;
  readonly joined: Buffer;
  /** Decompresses the body. @throws BadResponse */
  readonly body: () => Buffer;
}

/** Bytes that are no HTTP response, or one that is cut short. */
export class BadResponse extends Error {}

/** @throws BadResponse */
export function parseResponse(block: Buffer): HttpResponse {
  for (let start = 0; ; ) {
    const end = block.indexOf('\r\n\r\n', start);
    const [first = '', ...lines] = block.toString('latin1', start, end === -1 ? start : end).split('\r\n');
    const status = Number(/^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/.exec(first)?.[1]);
    if (!(status >= 100)) throw new BadResponse('no HTTP response');
    start = end + 4;
    // an interim response such as 103 comes before the response itself
    if (status < 200) continue;
    const headers = headersOf(lines);
    const sent = block.subarray(start);
    const joined = withoutChunks(sent, headers);
    return { status, headers, sent, joined, body: () => decompressed(joined, headers.get('content-encoding') ?? '') };
  }
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    if (colon > 0) headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Returns the body without the chunks of Transfer-Encoding. Some tools join the chunks and keep the header. */
function withoutChunks(sent: Buffer, headers: ReadonlyMap<string, string>): Buffer {
  if (/\bchunked\s*$/i.test(headers.get('transfer-encoding') ?? '')) return joinedChunks(sent);
  const length = headers.get('content-length');
  if (length !== undefined && /^\d+$/.test(length) && sent.length < Number(length)) {
    throw new BadResponse(`a body of ${sent.length} bytes, cut short from ${length}`);
  }
  return sent;
}

function joinedChunks(sent: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = sent.indexOf('\r\n', at);
    const [, size] = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(sent.toString('latin1', at, end === -1 ? at : Math.min(end, at + 1000))) ?? [];
    if (size === undefined && at === 0) return sent;
    const length = Number.parseInt(size ?? '', 16);
    if (length === 0) return Buffer.concat(chunks);
    const chunk = sent.subarray(end + 2, end + 2 + length);
    if (!(chunk.length === length)) throw new BadResponse('a chunk that is cut short');
    chunks.push(chunk);
    at = end + 2 + length + 2;
  }
}

function decompressed(body: Buffer, encodings: string): Buffer {
  const names = encodings.split(',').map((name) => name.trim().toLowerCase());
  return names.reduceRight((bytes, name) => {
    try {
      return decoded(bytes, name);
    } catch (error) {
      // some tools decompress the body and keep the header
      if (bytes[0] === OPENING_BRACE) return bytes;
      throw error instanceof BadResponse ? error : new BadResponse(`a damaged compressed body: ${String(error)}`);
    }
  }, body);
}

const OPENING_BRACE = 0x7b;
const LIMIT = { maxOutputLength: MAX_BLOCK };

function decoded(bytes: Buffer, encoding: string): Buffer {
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes;
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, LIMIT);
  if (encoding === 'br') return brotliDecompressSync(bytes, LIMIT);
  // either the form of RFC 9110, or what some servers send in its place
  if (encoding === 'deflate') return ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, LIMIT) : inflateRawSync(bytes, LIMIT);
  throw new BadResponse(`Content-Encoding ${encoding}, which is not supported`);
}
