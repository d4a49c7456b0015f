import { closeSync } from 'node:fs';
import { decodeEntry, type EndRecords, entriesIn, readEndRecords } from './central-directory.ts';
import { decodeHeader, HEADER_BYTES, LONGEST_PATH } from './local-header.ts';
import { readAt, unpackMember, ZipDamage } from './member.ts';
import { bucketRange, decodeTrailer, findMember, INDEX, type IndexPlace, type MemberPlace, TRAILER } from './zip-index.ts';

/**
 * Reads members of a ZIP that has an index, one by one. Opening reads the end records alone. All reads block, and a thread
 * opens the ZIP itself.
 */
export class ZipReader {
  /** The place of the index, for hosts. */
  readonly index: IndexPlace;
  readonly records: EndRecords;
  /** The descriptor of the file. */
  readonly file: number;

  /**
   * @param file opened for reading; `close` closes it
   * @throws ZipDamage if the file is no ZIP with an index, or its end is damaged
   */
  constructor(file: number) {
    this.file = file;
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
   * @returns undefined if the ZIP has no such member
   * @throws ZipDamage
   */
  find(path: string): MemberPlace | undefined {
    const { offset, length } = bucketRange(path, this.index);
    return findMember(path, readAt(this.file, offset, length));
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
    return new MemberFile(this.file, this.index.offset - HEADER_BYTES - INDEX.length);
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
    return entriesIn(this.file, this.records);
  }

  /** @throws ZipDamage */
  bytes(offset: number, length: number): Buffer {
    return readAt(this.file, offset, length);
  }

  close(): void {
    closeSync(this.file);
  }

  #raw({ path, offset, packed }: MemberPlace): Buffer {
    if (offset + packed > this.index.offset) throw new ZipDamage(`${path} is not where the index says`);
    return readAt(this.file, offset, HEADER_BYTES + path.length + packed);
  }
}

/** The bytes that are read at a time. */
export const WINDOW: number = 1 << 18;

/** Members that lie one after another in a file. They are mostly taken in their order, so many are read at once. */
export class MemberFile {
  readonly #file: number;
  readonly #end: number;
  #memory: Buffer;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  #next = 0;

  /**
   * @param end the offset of the byte after the last member
   * @param memory for the window: new memory for each window would add up until it is collected
   */
  constructor(file: number, end: number, memory: Buffer = Buffer.allocUnsafeSlow(WINDOW)) {
    this.#file = file;
    this.#end = end;
    this.#memory = memory;
  }

  /**
   * Returns the next member if it has this path, otherwise the one at `offset`: its local header, its path, its packed bytes. They are
   * valid until the next call.
   */
  take(path: string, offset: () => number | undefined = () => undefined): Buffer | undefined {
    return this.#memberAt(this.#next, path) ?? this.#memberAt(offset() ?? this.#end, path);
  }

  #memberAt(offset: number, path: string): Buffer | undefined {
    const header = offset < this.#end ? decodeHeader(this.#bytes(offset, HEADER_BYTES + LONGEST_PATH)) : undefined;
    if (header?.path !== path) return undefined;
    const end = offset + HEADER_BYTES + path.length + header.packed;
    if (end > this.#end) return undefined;
    this.#next = end;
    return this.#bytes(offset, end - offset);
  }

  /** Returns bytes at an offset; fewer if the members end before. */
  #bytes(offset: number, length: number): Buffer {
    const end = Math.min(this.#end, offset + length);
    if (offset < this.#start || end > this.#start + this.#window.length) {
      const size = Math.min(this.#end - offset, Math.max(length, WINDOW));
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(size);
      this.#window = readAt(this.#file, offset, size, this.#memory);
      this.#start = offset;
    }
    return this.#window.subarray(offset - this.#start, end - this.#start);
  }
}
