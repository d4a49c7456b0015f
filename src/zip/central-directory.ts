import { fstatSync } from 'node:fs';
import { HEADER_BYTES, type MemberHeader } from './local-header.ts';
import { readAt, ZipDamage } from './member.ts';

/** The length of the last record, and of the two records of ZIP64 before it. */
const END = 22;
const LOCATOR = 20;
const LARGE_END = 56;
/** The length of an entry before its path. */
const ENTRY = 46;
/** The largest numbers of 16 and 32 bits. In their fields they mean that the number is in the form of ZIP64. */
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;
/** The bytes that are read at a time. */
const PIECE = 1 << 16;

/** What the end records of a ZIP say. */
export interface EndRecords {
  readonly members: number;
  /** The offset and the length of the central directory. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads the end records of a ZIP that a {@link ZipWriter} wrote: nothing comes after them.
 * @throws ZipDamage
 */
export function readEndRecords(file: number): EndRecords {
  const { size } = fstatSync(file);
  const bytes = readAt(file, Math.max(0, size - END - LOCATOR - LARGE_END), Math.min(size, END + LOCATOR + LARGE_END));
  const end = bytes.subarray(Math.max(0, bytes.length - END));
  const large = bytes.subarray(0, Math.max(0, bytes.length - END));
  if (end.length < END || end.readUInt32LE(0) !== 0x06054b50) throw new ZipDamage('the file does not end with the end record of a ZIP');
  const isLarge = large.length === LARGE_END + LOCATOR && large.readUInt32LE(0) === 0x06064b50;
  const records = isLarge
    ? { members: uint64(large, 32), length: uint64(large, 40), offset: uint64(large, 48) }
    : { members: end.readUInt16LE(10), length: end.readUInt32LE(12), offset: end.readUInt32LE(16) };
  const wanted = size - END - (isLarge ? LARGE_END + LOCATOR : 0);
  if (records.offset + records.length !== wanted) throw new ZipDamage('the central directory is not where the end record says');
  return records;
}

export function encodeEndRecords({ members, offset, length }: EndRecords): Buffer {
  const end = offset + length;
  const isLarge = members >= MAX_16 || end >= MAX_32;
  const large = Buffer.alloc(isLarge ? LARGE_END + LOCATOR : 0);
  if (isLarge) {
    large.writeUInt32LE(0x06064b50, 0);
    large.writeBigUInt64LE(44n, 4);
    large.writeUInt16LE(45, 12);
    large.writeUInt16LE(45, 14);
    for (const [index, number] of [members, members, length, offset].entries()) large.writeBigUInt64LE(BigInt(number), 24 + 8 * index);
    large.writeUInt32LE(0x07064b50, LARGE_END);
    large.writeBigUInt64LE(BigInt(end), LARGE_END + 8);
    large.writeUInt32LE(1, LARGE_END + 16);
  }
  const last = Buffer.alloc(END);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(Math.min(members, MAX_16), 8);
  last.writeUInt16LE(Math.min(members, MAX_16), 10);
  last.writeUInt32LE(Math.min(length, MAX_32), 12);
  last.writeUInt32LE(Math.min(offset, MAX_32), 16);
  return Buffer.concat([large, last]);
}

function uint64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

/**
 * Yields the entries of all members in their order, as they lie in the central directory.
 * @throws ZipDamage
 */
export function* entriesIn(file: number, { members, offset, length }: EndRecords): Generator<Buffer> {
  let [rest, at, found] = [Buffer.alloc(0), 0, 0];
  while (rest.length > 0 || at < length) {
    const entry = entryBytes(rest);
    if (entry !== undefined && rest.length >= entry) {
      yield rest.subarray(0, entry);
      rest = rest.subarray(entry);
      found += 1;
    } else {
      if (at === length) throw new ZipDamage('the central directory ends within an entry');
      const piece = readAt(file, offset + at, Math.min(PIECE, length - at));
      rest = Buffer.concat([rest, piece]);
      at += piece.length;
    }
  }
  if (found !== members) throw new ZipDamage(`the central directory has ${found} members, and the end record says ${members}`);
}

/** Decodes an entry: what it says about its member, and the offset of the local header. */
export function decodeEntry(entry: Buffer): MemberHeader & { readonly offset: number } {
  const end = ENTRY + entry.readUInt16LE(28);
  const offset = entry.readUInt32LE(42);
  return {
    path: entry.toString('latin1', ENTRY, end),
    method: entry.readUInt16LE(10),
    crc: entry.readUInt32LE(16),
    packed: entry.readUInt32LE(20),
    size: entry.readUInt32LE(24),
    offset: offset === MAX_32 && entry.length >= end + 12 ? uint64(entry, end + 4) : offset,
  };
}

/**
 * Encodes the entry of a member: its local header, with further fields between it and the path.
 * @param member begins with the local header and the path
 * @param path the length of the path
 * @param offset the offset of the local header
 */
export function encodeEntry(member: Buffer, path: number, offset: number): Buffer {
  const isLarge = offset >= MAX_32;
  // from Node's pool: there is one for each member
  const bytes = Buffer.allocUnsafe(ENTRY + path + (isLarge ? 12 : 0)).fill(0);
  bytes.writeUInt32LE(0x02014b50, 0);
  // made by and read by version 2.0, or 4.5 for ZIP64
  bytes.writeUInt16LE(isLarge ? 45 : 20, 4);
  member.copy(bytes, 6, 4, HEADER_BYTES);
  bytes.writeUInt16LE(isLarge ? 45 : 20, 6);
  bytes.writeUInt32LE(Math.min(offset, MAX_32), 42);
  member.copy(bytes, ENTRY, HEADER_BYTES, HEADER_BYTES + path);
  if (!isLarge) return bytes;
  bytes.writeUInt16LE(12, 30);
  bytes.writeUInt16LE(1, ENTRY + path);
  bytes.writeUInt16LE(8, ENTRY + 2 + path);
  bytes.writeBigUInt64LE(BigInt(offset), ENTRY + 4 + path);
  return bytes;
}

/** Returns the length of an entry; undefined if its fixed fields are not there yet. */
function entryBytes(bytes: Buffer): number | undefined {
  if (bytes.length < ENTRY) return undefined;
  if (bytes.readUInt32LE(0) !== 0x02014b50) throw new ZipDamage('the central directory has an entry without its signature');
  return ENTRY + bytes.readUInt16LE(28) + bytes.readUInt16LE(30) + bytes.readUInt16LE(32);
}
