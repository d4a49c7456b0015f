import { closeSync, fstatSync, openSync } from 'node:fs';
import { crc32After } from '../contract/files/checksums.ts';
import { BufferedFile } from '../contract/files/file-bytes.ts';
import { encodeEndRecords, encodeEntry } from './central-directory.ts';
import { DEFLATED, decodeHeader, encodeHeader, STORED } from './local-header.ts';
import { deflateLast, deflateStep, readAt, STEP, ZipDamage } from './member.ts';
import { INDEX, IndexRows } from './zip-index.ts';

/** The bytes of the central directory that are copied at a time. */
const PIECE = 1 << 18;

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
   * @param member its local header, its path and its packed bytes
   * @param digest the SHA-256 of its bytes, as hexadecimal digits
   */
  add(member: Buffer, digest: string): void {
    this.#list(member, digest, this.#zip.length);
    this.#zip.write(member);
  }

  /**
   * Adds a file, and reads a part of it at a time.
   * @param digest the SHA-256 of its bytes, as hexadecimal digits
   */
  addFile(path: string, from: string, digest: string): void {
    const offset = this.#zip.length;
    // its numbers are known at the end
    this.#zip.write(encodeHeader({ path, method: DEFLATED, crc: 0, packed: 0, size: 0 }));
    const start = this.#zip.length;
    const file = openSync(from, 'r');
    const { size } = fstatSync(file);
    let crc = 0;
    for (let at = 0; at < size; at += STEP) {
      const bytes = readAt(file, at, Math.min(STEP, size - at));
      crc = crc32After(crc, bytes);
      this.#zip.write(deflateStep(bytes));
    }
    closeSync(file);
    this.#zip.write(deflateLast(Buffer.alloc(0)));
    const header = encodeHeader({ path, method: DEFLATED, crc, packed: this.#zip.length - start, size });
    this.#zip.replace(header, offset);
    this.#list(header, digest, offset);
  }

  /** Adds the index, the central directory and the end records. Afterwards everything is written to the file. */
  end(): void {
    let [crc, size] = [0, 0];
    for (const piece of this.#rows.pieces()) [crc, size] = [crc32After(crc, piece), size + piece.length];
    const header = encodeHeader({ path: INDEX, method: STORED, crc, packed: size, size });
    this.#directory.write(encodeEntry(header, INDEX.length, this.#zip.length));
    this.#members += 1;
    this.#zip.write(header);
    for (const piece of this.#rows.pieces()) this.#zip.write(piece);
    this.#directory.flush();
    const start = this.#zip.length;
    for (let at = 0; at < this.#directory.length; at += PIECE) {
      this.#zip.write(readAt(this.#directoryFile, at, Math.min(PIECE, this.#directory.length - at)));
    }
    this.#zip.write(encodeEndRecords({ members: this.#members, offset: start, length: this.#directory.length }));
    this.#zip.flush();
  }

  /** Closes the temporary file. */
  close(): void {
    closeSync(this.#directoryFile);
  }

  /** @param member begins with its local header and its path */
  #list(member: Buffer, digest: string, offset: number): void {
    const header = decodeHeader(member);
    if (header === undefined) throw new ZipDamage('the local header of a member is damaged');
    this.#rows.add({ ...header, offset, content: digest });
    this.#directory.write(encodeEntry(member, header.path.length, offset));
    this.#members += 1;
  }
}
