import { crc32, inflateRawSync } from 'node:zlib';
import { codeOf } from '../contract/failure.ts';

/** The first bytes of a gzip member, with the only method of compression that exists. */
export const MEMBER_MAGIC: Buffer = Buffer.from([0x1f, 0x8b, 0x08]);
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const FLAGS = { headerCrc: 2, extra: 4, name: 8, comment: 16 };

/** The member at the beginning of some bytes: its length and content, or why it cannot be read. */
export type Member =
  | { readonly kind: 'member'; readonly length: number; readonly content: Buffer }
  /** The bytes end inside it. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * Decompresses the gzip member at the beginning of the bytes, and checks its CRC-32.
 * @param most the length of the largest content, in bytes
 */
export function readMember(bytes: Buffer, most: number): Member {
  if (!MEMBER_MAGIC.subarray(0, bytes.length).equals(bytes.subarray(0, MEMBER_MAGIC.length))) {
    return { kind: 'broken', reason: 'bytes that are not gzip data' };
  }
  const start = headerLength(bytes);
  if (start === undefined) return { kind: 'cut' };
  try {
    const inflated: unknown = inflateRawSync(bytes.subarray(start), { info: true, maxOutputLength: most });
    if (!isInflated(inflated)) return { kind: 'broken', reason: 'gzip data that cannot be read' };
    const { buffer: content, engine } = inflated;
    const end = start + engine.bytesWritten;
    if (bytes.length < end + TRAILER_BYTES) return { kind: 'cut' };
    if (bytes.readUInt32LE(end) !== crc32(content)) return { kind: 'broken', reason: 'gzip data with another CRC-32' };
    return { kind: 'member', length: end + TRAILER_BYTES, content };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'Z_BUF_ERROR') return { kind: 'cut' };
    if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' };
    return { kind: 'broken', reason: `damaged gzip data: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Returns the length of a gzip header (RFC 1952); undefined if the bytes end before it does. */
function headerLength(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const flags = bytes.readUInt8(3);
  let at = HEADER_BYTES;
  if (flags & FLAGS.extra) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [FLAGS.name, FLAGS.comment]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & FLAGS.headerCrc) at += 2;
  return at <= bytes.length ? at : undefined;
}

function isInflated(value: unknown): value is { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}
