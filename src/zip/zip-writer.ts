import { closeSync, openSync } from 'node:fs';
import { BufferedFile } from './buffered-file.ts';
import { decodeHeader, HEADER_BYTES } from './local-header.ts';
import { storeMember, ZipDamage } from './member.ts';
import { readAt } from './read-at.ts';
import { INDEX, IndexRows } from './zip-index.ts';

/** The bytes of the central directory that are copied at a time. */
const PIECE = 1 << 18;
/** The largest numbers of 16 and 32 bits. In their fields they mean that the number is in the form of ZIP64. */
const MOST_16 = 0xffff;
const MOST_32 = 0xffff_ffff;

/**
 * Writes a ZIP from members that are packed already. It uses the form of ZIP64 where there are more than 65,534 members
 * or 4 GiB, and only in the central directory and after it. Memory: 34 bytes for each member, for the index.
 */
export class ZipWriter {
  readonly #zip: BufferedFile;
  /** The central directory, until the last member is written. */
  readonly #directory: BufferedFile;
  readonly #directoryFile: number;
  readonly #rows = new IndexRows();
  #members = 0;

  /**
   * @param file a new file, opened for writing
   * @param directoryPath the path of a temporary file for the central directory
   */
  constructor(file: number, directoryPath: string) {
    this.#zip = new BufferedFile(file);
    this.#directoryFile = openSync(directoryPath, 'w+');
    this.#directory = new BufferedFile(this.#directoryFile);
  }

  /**
   * Adds a member.
   * @param member its local header, its path and its packed bytes
   * @param digest the SHA-256 of its bytes, as hexadecimal digits
   */
  add(member: Buffer, digest: string): void {
    const header = decodeHeader(member);
    if (header === undefined) throw new ZipDamage('the local header of a member is damaged');
    this.#rows.add({ ...header, offset: this.#zip.length, content: digest });
    this.#append(member, header.path.length);
  }

  /** Adds the index, the central directory and the end records. Afterwards everything is written to the file. */
  end(): void {
    this.#append(storeMember(INDEX, this.#rows.encode()), INDEX.length);
    this.#directory.flush();
    const start = this.#zip.length;
    for (let at = 0; at < this.#directory.length; at += PIECE) {
      this.#zip.write(readAt(this.#directoryFile, at, Math.min(PIECE, this.#directory.length - at)));
    }
    this.#zip.write(endRecords(this.#members, start, this.#zip.length));
    this.#zip.flush();
  }

  /** Closes the temporary file. */
  close(): void {
    closeSync(this.#directoryFile);
  }

  #append(member: Buffer, path: number): void {
    this.#directory.write(centralHeader(member, path, this.#zip.length));
    this.#zip.write(member);
    this.#members += 1;
  }
}

/** Returns the entry of the central directory for a member: its local header, with further fields between it and the path. */
function centralHeader(member: Buffer, path: number, offset: number): Buffer {
  const isLarge = offset >= MOST_32;
  const bytes = Buffer.alloc(46 + path + (isLarge ? 12 : 0));
  bytes.writeUInt32LE(0x02014b50, 0);
  // made by and read by version 2.0, or 4.5 for ZIP64
  bytes.writeUInt16LE(isLarge ? 45 : 20, 4);
  member.copy(bytes, 6, 4, HEADER_BYTES);
  bytes.writeUInt16LE(isLarge ? 45 : 20, 6);
  bytes.writeUInt32LE(Math.min(offset, MOST_32), 42);
  member.copy(bytes, 46, HEADER_BYTES, HEADER_BYTES + path);
  if (!isLarge) return bytes;
  bytes.writeUInt16LE(12, 30);
  bytes.writeUInt16LE(1, 46 + path);
  bytes.writeUInt16LE(8, 48 + path);
  bytes.writeBigUInt64LE(BigInt(offset), 50 + path);
  return bytes;
}

/** Returns the records after the central directory, which begins at `start`. */
function endRecords(members: number, start: number, end: number): Buffer {
  const isLarge = members >= MOST_16 || end >= MOST_32;
  const large = Buffer.alloc(isLarge ? 56 + 20 : 0);
  if (isLarge) {
    large.writeUInt32LE(0x06064b50, 0);
    large.writeBigUInt64LE(44n, 4);
    large.writeUInt16LE(45, 12);
    large.writeUInt16LE(45, 14);
    for (const [index, number] of [members, members, end - start, start].entries()) large.writeBigUInt64LE(BigInt(number), 24 + 8 * index);
    large.writeUInt32LE(0x07064b50, 56);
    large.writeBigUInt64LE(BigInt(end), 64);
    large.writeUInt32LE(1, 72);
  }
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(Math.min(members, MOST_16), 8);
  last.writeUInt16LE(Math.min(members, MOST_16), 10);
  last.writeUInt32LE(Math.min(end - start, MOST_32), 12);
  last.writeUInt32LE(Math.min(start, MOST_32), 16);
  return Buffer.concat([large, last]);
}
