import { closeSync, openSync } from 'node:fs';
import { BufferedFile } from './buffered-file.ts';
import { encodeEndRecords, encodeEntry } from './central-directory.ts';
import { decodeHeader } from './local-header.ts';
import { storeMember, ZipDamage } from './member.ts';
import { readAt } from './read-at.ts';
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
    this.#zip.write(encodeEndRecords({ members: this.#members, offset: start, length: this.#directory.length }));
    this.#zip.flush();
  }

  /** Closes the temporary file. */
  close(): void {
    closeSync(this.#directoryFile);
  }

  #append(member: Buffer, path: number): void {
    this.#directory.write(encodeEntry(member, path, this.#zip.length));
    this.#zip.write(member);
    this.#members += 1;
  }
}
