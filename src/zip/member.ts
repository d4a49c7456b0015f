import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { crc32After } from '../contract/files/checksums.ts';
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

/** Where the next bytes of a file are gathered. New memory for each file would add up until it is collected. */
const gathered = Buffer.allocUnsafeSlow(LONGEST_BLOCK + STEP + 1);

/**
 * Packs a file as it lies in a ZIP: its local header, its path, its deflated bytes. A page of the API begins with a stored
 * block that has its envelope up to its first item, and the rest is deflated apart. So a host can replace the links of
 * a page without inflating it.
 * @param pieces the bytes, in chunks: memory has those of one step
 */
export function packMember(path: string, pieces: Iterable<Uint8Array>): Buffer {
  const stream: Buffer[] = [];
  let [size, crc, used] = [0, 0, 0];
  /** Deflates whole steps, and keeps the bytes of the last one. */
  const deflateSteps = () => {
    let at = stream.length === 0 ? addEnvelope(stream, path, gathered.subarray(0, used)) : 0;
    for (; used - at > STEP; at += STEP) stream.push(deflateStep(gathered.subarray(at, at + STEP)));
    gathered.copyWithin(0, at, used);
    used -= at;
  };
  for (const piece of pieces) {
    size += piece.length;
    crc = crc32After(crc, piece);
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + gathered.length - used);
      gathered.set(part, used);
      from += part.length;
      used += part.length;
      if (used === gathered.length) deflateSteps();
    }
  }
  deflateSteps();
  stream.push(deflateLast(gathered.subarray(0, used)));
  const packed = stream.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([encodeHeader({ path, method: DEFLATED, crc, packed, size }), ...stream]);
}

/** Adds the envelope of a page as a stored block, if it fits in one. Returns its length. */
function addEnvelope(stream: Buffer[], path: string, bytes: Buffer): number {
  if (!path.startsWith('rest/') || !path.endsWith('/index.json')) return 0;
  const end = bytes.indexOf(ENVELOPE_END) + ENVELOPE_END.length;
  if (end < ENVELOPE_END.length || end > LONGEST_BLOCK) return 0;
  // a block that is not the last one, and the length of its bytes twice
  const start = Buffer.alloc(5);
  start.writeUInt16LE(end, 1);
  start.writeUInt16LE(LONGEST_BLOCK - end, 3);
  stream.push(start, Buffer.from(bytes.subarray(0, end)));
  return end;
}

/** Deflates bytes that others follow. Nothing after them refers to them. */
export function deflateStep(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
}

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
