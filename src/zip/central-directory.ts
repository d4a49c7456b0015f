import { fstatSync } from 'node:fs';
import { ZipDamage } from './member.ts';
import { readAt } from './read-at.ts';

/** The length of the last record, and of the two records of ZIP64 before it. */
const END = 22;
const LOCATOR = 20;
const LARGE_END = 56;
/** The length of an entry before its path. */
const ENTRY = 46;
/** The bytes that are read at a time. */
const PIECE = 1 << 16;

/** What the end records of a ZIP say. */
export interface EndRecords {
  /** The number of members. */
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

function uint64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

/**
 * Yields the paths of all members in their order.
 * @throws ZipDamage
 */
export function* pathsIn(file: number, { members, offset, length }: EndRecords): Generator<string> {
  let [rest, at, found] = [Buffer.alloc(0), 0, 0];
  while (rest.length > 0 || at < length) {
    const entry = entryBytes(rest);
    if (entry !== undefined && rest.length >= entry) {
      yield rest.toString('latin1', ENTRY, ENTRY + rest.readUInt16LE(28));
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

/** Returns the length of an entry; undefined if its fixed fields are not there yet. */
function entryBytes(bytes: Buffer): number | undefined {
  if (bytes.length < ENTRY) return undefined;
  if (bytes.readUInt32LE(0) !== 0x02014b50) throw new ZipDamage('the central directory has an entry without its signature');
  return ENTRY + bytes.readUInt16LE(28) + bytes.readUInt16LE(30) + bytes.readUInt16LE(32);
}
