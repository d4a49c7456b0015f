import { closeSync } from 'node:fs';
import { decodeEntry, type EndRecords, entriesIn, readEndRecords } from './central-directory.ts';
import { HEADER_BYTES } from './local-header.ts';
import { unpackMember, ZipDamage } from './member.ts';
import { MemberFile } from './member-file.ts';
import { readAt } from './read-at.ts';
import { bucketRange, decodeTrailer, findMember, INDEX, type IndexPlace, type MemberPlace, TRAILER } from './zip-index.ts';

/**
 * Reads members of a ZIP that has an index, one by one. Opening reads the end records alone. All reads block, and a thread
 * opens the ZIP itself.
 */
export class ZipReader {
  /** The place of the index, for hosts. */
  readonly index: IndexPlace;
  readonly records: EndRecords;
  readonly #file: number;

  /**
   * @param file opened for reading; `close` closes it
   * @throws ZipDamage if the file is no ZIP with an index, or its end is damaged
   */
  constructor(file: number) {
    this.#file = file;
    this.records = readEndRecords(file);
    const { offset } = this.records;
    const index = decodeTrailer(readAt(file, Math.max(0, offset - TRAILER), Math.min(offset, TRAILER)), offset);
    if (index === undefined) throw new ZipDamage(`the ZIP has no ${INDEX} as its last member`);
    this.index = index;
  }

  /** The number of members without the index. */
  get members(): number {
    return this.records.members - 1;
  }

  /**
   * Finds a member in the index.
   * @returns undefined if the ZIP has no such member
   * @throws ZipDamage
   */
  find(path: string): MemberPlace | undefined {
    const { offset, length } = bucketRange(path, this.index);
    return findMember(path, readAt(this.#file, offset, length));
  }

  /**
   * Reads a member and compares it with its CRC-32, and its local header with the index.
   * @returns undefined if the ZIP has no such member
   * @throws ZipDamage
   */
  read(path: string): Buffer | undefined {
    const place = this.find(path);
    return place === undefined ? undefined : unpackMember(this.#raw(place), place);
  }

  /** Returns the members as they lie in the ZIP, to copy them. */
  packed(): MemberFile {
    return new MemberFile(this.#file, this.index.offset - HEADER_BYTES - INDEX.length);
  }

  /**
   * Yields the paths of all members in their order, without the index.
   * @throws ZipDamage
   */
  *paths(): Generator<string> {
    for (const entry of this.entries()) {
      const { path } = decodeEntry(entry);
      if (path !== INDEX) yield path;
    }
  }

  /**
   * Yields the entries of the central directory as they are, with that of the index.
   * @throws ZipDamage
   */
  entries(): Generator<Buffer> {
    return entriesIn(this.#file, this.records);
  }

  /**
   * Reads bytes of the ZIP.
   * @throws ZipDamage
   */
  bytes(offset: number, length: number): Buffer {
    return readAt(this.#file, offset, length);
  }

  close(): void {
    closeSync(this.#file);
  }

  #raw({ path, offset, packed }: MemberPlace): Buffer {
    if (offset + packed > this.index.offset) throw new ZipDamage(`${path} is not where the index says`);
    return readAt(this.#file, offset, HEADER_BYTES + path.length + packed);
  }
}
