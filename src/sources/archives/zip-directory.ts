import { type FileHandle, open } from 'node:fs/promises';
import type { Entry, ZipFile } from 'yauzl';
import { readHandleFully } from '../../contract/files/file-bytes.ts';
import { damaged } from '../../warc/warc-damage.ts';

/** The lengths of the end record, of the records of ZIP64 before it, and of an entry before its name. */
const END = 22;
const LOCATOR = 20;
const LARGE_END = 56;
const ENTRY = 46;
/** A file has a data descriptor if this flag is set. In a descriptor, a signature is optional, and sizes have 4 or 8 bytes. */
const HAS_DESCRIPTOR = 8;
const MAX_DESCRIPTOR = 24;
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;

/**
 * Checks the directory of a ZIP: its end records fit its entries, and each entry says the same as the header and the data
 * descriptor beside the file. The ZIP library does not compare them. Versions, attributes, disk numbers and extra fields are not
 * compared, because they may differ.
 * @param check runs one check, and converts its errors
 * @throws Failure bad-archive
 */
export async function checkDirectory(
  path: string,
  zip: ZipFile,
  entries: readonly Entry[],
  check: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = await open(path);
  try {
    await check(() => checkEnd(path, file, zip, entries));
    for (const entry of entries) await check(() => checkEntry(path, file, zip, entry));
  } finally {
    await file.close();
  }
}

async function checkEnd(path: string, file: FileHandle, { fileSize, comment }: ZipFile, entries: readonly Entry[]): Promise<void> {
  const place = fileSize - END - comment.length;
  const small = await bytesAt(file, place, END);
  const large = await bytesAt(file, Math.max(0, place - LOCATOR - LARGE_END), Math.min(place, LOCATOR + LARGE_END));
  const isLarge = large.length === LOCATOR + LARGE_END && large.readUInt32LE(LARGE_END) === 0x07064b50;
  const length = entries.reduce((sum, entry) => sum + entryLength(entry), 0);
  const end = isLarge ? place - LOCATOR - LARGE_END : place;
  // the disk, that of the directory, the entries on it, all entries, the length and the place of the directory
  const expected = [0, 0, entries.length, entries.length, length, end - length];
  const inSmall = [...[4, 6, 8, 10].map((at) => small.readUInt16LE(at)), small.readUInt32LE(12), small.readUInt32LE(16)];
  const inLarge = isLarge ? [...[16, 20].map((at) => large.readUInt32LE(at)), ...[24, 32, 40, 48].map((at) => uint64(large, at))] : inSmall;
  const isElsewhere = (index: number) => isLarge && inSmall[index] === (index < 4 ? MAX_16 : MAX_32);
  const isSame = expected.every((number, index) => inLarge[index] === number && (isElsewhere(index) || inSmall[index] === number));
  // the length of the rest of the record, the disk of the record, and the number of disks
  const isOneDisk = !isLarge || (uint64(large, 4) === LARGE_END - 12 && large.readUInt32LE(60) === 0 && large.readUInt32LE(72) === 1);
  if (!isSame || !isOneDisk)
    throw damaged(path, 'a directory that agrees with the end record of the ZIP', 'a different directory or end record');
}

async function checkEntry(path: string, file: FileHandle, zip: ZipFile, entry: Entry): Promise<void> {
  const { fileName, crc32, compressedSize, uncompressedSize } = entry;
  const local = await zip.readLocalFileHeaderPromise(entry);
  const isSame =
    local.fileName.equals(entry.fileNameRaw) &&
    local.generalPurposeBitFlag === entry.generalPurposeBitFlag &&
    local.compressionMethod === entry.compressionMethod &&
    local.lastModFileTime === entry.lastModFileTime &&
    local.lastModFileDate === entry.lastModFileDate;
  const isSize = (found: number, size: number) => found === size || found === MAX_32;
  const fits =
    (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) === 0
      ? local.crc32 === crc32 && isSize(local.compressedSize, compressedSize) && isSize(local.uncompressedSize, uncompressedSize)
      : isDescriptor(await bytesAt(file, local.fileDataStart + compressedSize, MAX_DESCRIPTOR), entry);
  if (!isSame || !fits)
    throw damaged(path, `the same name, time, sizes and CRC-32 of ${fileName} in the directory and in the file header`, 'different values');
}

function isDescriptor(bytes: Buffer, { crc32, compressedSize, uncompressedSize }: Entry): boolean {
  const fields = bytes.readUInt32LE(0) === 0x08074b50 ? bytes.subarray(4) : bytes;
  if (fields.readUInt32LE(0) !== crc32) return false;
  const isShort = fields.readUInt32LE(4) === compressedSize && fields.readUInt32LE(8) === uncompressedSize;
  return isShort || (uint64(fields, 4) === compressedSize && uint64(fields, 12) === uncompressedSize);
}

function entryLength({ fileNameLength, extraFieldLength, fileCommentLength }: Entry): number {
  return ENTRY + fileNameLength + extraFieldLength + fileCommentLength;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  if ((await readHandleFully(file, bytes, position)) < length) throw new Error('the file ends too early');
  return bytes;
}

function uint64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}
