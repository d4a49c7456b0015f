import { closeSync, fstatSync, openSync } from 'node:fs';
import { createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { plural } from '../../contract/amounts.ts';
import { Failure } from '../../contract/failure.ts';
import { crc32After } from '../../contract/files/checksums.ts';
import { countPacked, DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import { readFully } from '../../contract/files/file-bytes.ts';
import type { Input } from '../source.ts';
import { brokenArchive, isRead, memberInput, plainPath } from './archive-member.ts';
import { piped } from './decompression.ts';
import { FIRST_OF_TREE } from './detect-format.ts';

/** How many files a ZIP file may have: their list is kept in memory, with about 1 kB for each. */
export const MAX_ENTRIES = 500_000;
/** A member up to this length is kept in memory until its checksum is known. A longer one is read twice. */
const MAX_KEPT = 1 << 22;
const STORED = 0;
const DEFLATED = 8;

/** The members of a ZIP file, which may be read in any order until it is closed. */
interface OpenZip {
  readonly members: readonly Input[];
  readonly close: () => void;
}

/**
 * Opens a ZIP file. Its list of files is at its end, so it must be a file of this machine.
 * @param isWhole whether also those files are opened that are no source, such as hidden ones
 * @throws Failure bad-archive if the file is damaged, cut short or hostile
 */
export async function openZip(archive: Input, path: string, isWhole = false): Promise<OpenZip> {
  const zip = await wrapErrors(archive, () => openZipFile(path));
  try {
    const expansion = new DecompressionLimit(archive.name, archive.expansion);
    const members = (await wrapErrors(archive, () => entriesIn(archive, zip, isWhole))).map((entry) =>
      memberInput(archive, { path: plainPath(entry.fileName), open: () => undamaged(archive, zip, entry, expansion) }, expansion),
    );
    return { members, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Returns the files to read, in the order of the archive. */
async function entriesIn(archive: Input, zip: ZipFile, isWhole: boolean): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let packed = 0;
  // of a tree only the pages are read, as of the folder of a tree
  let isTree: boolean | undefined;
  for await (const entry of zip.eachEntry()) {
    packed += entry.compressedSize;
    if (packed > zip.fileSize) throw new Error('files that are larger together than the ZIP file');
    isTree ??= entry.fileName === FIRST_OF_TREE;
    const isPage = !isTree || entry.fileName.startsWith('rest/');
    const isFolder = entry.fileName.endsWith('/');
    if (!isFolder && (isWhole || (isPage && isRead(archive, plainPath(entry.fileName))))) entries.push(entry);
    if (entries.length > MAX_ENTRIES) {
      const hint = 'unpack the ZIP file, and name the folder as the source';
      throw brokenArchive(archive.name, `ZIP file of at most ${plural(MAX_ENTRIES, 'file')}`, 'more files', hint);
    }
  }
  return entries;
}

/** Yields the bytes of a file in a ZIP after all of them were compared with its checksum, so that nothing of a damaged file is used. */
async function* undamaged(archive: Input, zip: ZipFile, entry: Entry, expansion: DecompressionLimit): AsyncGenerator<Uint8Array> {
  const isKept = entry.uncompressedSize <= MAX_KEPT;
  const kept: Uint8Array[] = [];
  const { meter: _, ...withoutMeter } = archive;
  for await (const piece of bytesOf(isKept ? archive : withoutMeter, zip, entry, expansion)) if (isKept) kept.push(piece);
  yield* isKept ? kept : bytesOf(archive, zip, entry, new DecompressionLimit(archive.name));
}

/** Yields the bytes of a file in a ZIP, and compares them with its length and CRC-32. */
async function* bytesOf(archive: Input, zip: ZipFile, entry: Entry, expansion: DecompressionLimit): AsyncGenerator<Uint8Array> {
  const { fileName, compressionMethod, uncompressedSize } = entry;
  const name = `${archive.name}: ${plainPath(fileName)}`;
  if (entry.isEncrypted() || (compressionMethod !== STORED && compressionMethod !== DEFLATED)) throw undecodable(name, entry);
  const { meter = (bytes: AsyncIterable<Uint8Array>) => bytes } = archive;
  const own = new DecompressionLimit(name, expansion);
  const stored = await wrapErrors({ name }, () => zip.openReadStreamPromise(entry, { decodeFileData: false }));
  const packed = countPacked(meter(stored), own, expansion);
  let [length, checksum] = [0, 0];
  try {
    for await (const piece of compressionMethod === DEFLATED ? piped(packed, createInflateRaw({ chunkSize: 1 << 18 })) : packed) {
      length += piece.length;
      checksum = crc32After(checksum, piece);
      own.addPlain(piece.length);
      if (length > uncompressedSize) break;
      yield piece;
    }
  } catch (error) {
    throw toFailure({ name }, error);
  } finally {
    stored.destroy();
  }
  if (length !== uncompressedSize || checksum !== entry.crc32) {
    throw brokenArchive(name, 'file in a ZIP file', length === uncompressedSize ? 'another checksum (CRC-32)' : 'another length');
  }
}

function undecodable(name: string, entry: Entry): Failure {
  const found = entry.isEncrypted() ? 'an encrypted file' : `the compression method ${entry.compressionMethod}`;
  return new Failure('bad-archive', `${name} cannot be decompressed`, {
    place: { file: name },
    expected: 'a file that is stored or deflated',
    found,
    hint: 'unpack the ZIP file with another program such as 7z, and name the folder as the source',
  });
}

async function wrapErrors<T>(archive: Pick<Input, 'name'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(archive, error);
  }
}

/** Converts an error of the library. Errors of the disk have a `syscall`. */
function toFailure({ name }: Pick<Input, 'name'>, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || 'syscall' in error) return error;
  return brokenArchive(name, 'ZIP file', error.message);
}

/** The lengths of the end record, of its longest comment, and of the ZIP64 locator before it. */
const END = 22;
const MAX_COMMENT = 0xffff;
const LOCATOR = 20;

/**
 * Opens a ZIP, which stays open until it is closed.
 * @throws Error if it is damaged. If the ZIP64 locator has a huge offset, the library itself would throw where nobody can catch it
 */
export async function openZipFile(path: string): Promise<ZipFile> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, LOCATOR + END + MAX_COMMENT));
    readFully(file, tail, size - tail.length);
    const locator = tail.lastIndexOf('PK\x05\x06', tail.length - END, 'latin1') - LOCATOR;
    const isLarge = locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50;
    if (isLarge && tail.readBigUInt64LE(locator + 8) > size) throw new Error('the end record of ZIP64 is outside of the file');
  } finally {
    closeSync(file);
  }
  return await openPromise(path, { autoClose: false });
}
