import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { readFully } from '../contract/files/file-bytes.ts';
import { DEFLATED, encodeHeader, HEADER_BYTES, type MemberHeader, STORED } from './local-header.ts';

/** The level of zlib. At 6, a site is 11 % smaller and takes twice the time. */
const LEVEL = 3;
/** The bytes that are deflated at a time. A larger member is deflated in several steps, so that memory stays bounded. */
export const STEP: number = 1 << 20;

/** The end of the envelope of a page, before its first item. In the links of the envelope, quotes are escaped. */
const ENVELOPE_END = '"results":[';
/** The most bytes of a stored block. */
const LONGEST_BLOCK = 0xffff;

/**
 * Packs a file as it lies in a ZIP: its local header, its path, its deflated bytes. A page of the API begins with a stored
 * block that has its envelope up to its first item, and the rest is deflated apart. So a host can replace the links of
 * a page without inflating it.
 * @param pieces the bytes, in chunks
 */
export function packMember(path: string, pieces: readonly Uint8Array[]): Buffer {
  const bytes = joined(pieces);
  const stream = deflated(bytes, envelopeBytes(path, bytes));
  const packed = stream.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([encodeHeader({ path, method: DEFLATED, crc: crc32(bytes), packed, size: bytes.length }), ...stream]);
}

/** Where the chunks of a file are joined. New memory for each file would add up until it is collected. */
let scratch = Buffer.allocUnsafeSlow(1 << 16);

/** Returns the bytes of chunks as one. They are valid until the next call. */
function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * length);
  let at = 0;
  for (const piece of pieces) {
    scratch.set(piece, at);
    at += piece.length;
  }
  return scratch.subarray(0, length);
}

/** Returns the length of the envelope of a page; 0 for other files, and for an envelope that no stored block can have. */
function envelopeBytes(path: string, bytes: Buffer): number {
  if (!path.startsWith('rest/') || !path.endsWith('/index.json')) return 0;
  const end = bytes.indexOf(ENVELOPE_END) + ENVELOPE_END.length;
  return end < ENVELOPE_END.length || end > LONGEST_BLOCK ? 0 : end;
}

/** @param stored the number of bytes at the start that become a stored block */
function deflated(bytes: Buffer, stored: number): Buffer[] {
  const stream: Buffer[] = [];
  if (stored > 0) {
    // a block that is not the last one, and the length of its bytes twice
    const start = Buffer.alloc(5);
    start.writeUInt16LE(stored, 1);
    start.writeUInt16LE(LONGEST_BLOCK - stored, 3);
    stream.push(start, bytes.subarray(0, stored));
  }
  let at = stored;
  for (; bytes.length - at > STEP; at += STEP) stream.push(deflateStep(bytes.subarray(at, at + STEP)));
  stream.push(deflateLast(bytes.subarray(at)));
  return stream;
}

/** Deflates bytes that others follow. Nothing after them refers to them. */
export function deflateStep(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
}

/** Deflates the last bytes of a member. */
export function deflateLast(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level: LEVEL });
}

/** Bytes of a ZIP that are not what its index or its central directory says. */
export class ZipDamage extends Error {}

/**
 * Unpacks a member that {@link packMember} packed.
 * @param wanted what its header must say
 * @throws ZipDamage if the header says something else, or the bytes do not match it
 */
export function unpackMember(member: Buffer, wanted: MemberHeader): Buffer {
  checkHeader(member, wanted);
  const bytes = inflated(member.subarray(HEADER_BYTES + wanted.path.length), wanted);
  if (bytes.length !== wanted.size || crc32(bytes) !== wanted.crc) throw new ZipDamage(`${wanted.path} does not match its CRC-32`);
  return bytes;
}

/** @throws ZipDamage if the local header of a member is not the wanted one */
function checkHeader(member: Buffer, wanted: MemberHeader): void {
  const header = encodeHeader(wanted);
  if (member.length === header.length + wanted.packed && header.equals(member.subarray(0, header.length))) return;
  throw new ZipDamage(`${wanted.path} has a local header that differs from the index`);
}

function inflated(packed: Buffer, { path, method, size }: MemberHeader): Buffer {
  if (method === STORED) return packed;
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (cause) {
    throw new ZipDamage(`${path} cannot be inflated`, { cause });
  }
}

/**
 * Reads bytes at a place of a file.
 * @param into memory for them; without it, new memory
 * @throws ZipDamage if the file ends before; Error if it cannot be read
 */
export function readAt(file: number, offset: number, length: number, into: Buffer = Buffer.allocUnsafe(length)): Buffer {
  const bytes = into.subarray(0, length);
  const read = readFully(file, bytes, offset);
  if (read < length) throw new ZipDamage(`the file ends at byte ${offset + read}, and byte ${offset + length - 1} should exist`);
  return bytes;
}
