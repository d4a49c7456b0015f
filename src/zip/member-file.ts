import { decodeHeader, HEADER_BYTES, LONGEST_PATH } from './local-header.ts';
import { readAt } from './read-at.ts';

/** The bytes that are read at a time. */
export const WINDOW: number = 1 << 18;

/** A member as it lies in a file. */
export interface PackedMember {
  readonly path: string;
  /** Its local header, its path, its packed bytes. They are valid until the next read. */
  readonly bytes: Buffer;
  /** The offset of the byte after it. */
  readonly end: number;
}

/** Members that lie one after another in a file. They are mostly read in their order or against it, so many are read at once. */
export class MemberFile {
  /** The offset of the byte after the last member. */
  readonly end: number;
  readonly #file: number;
  #memory: Buffer;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  /** @param memory for the window: new memory for each window would add up until it is collected */
  constructor(file: number, end: number, memory: Buffer = Buffer.allocUnsafeSlow(WINDOW)) {
    this.#file = file;
    this.end = end;
    this.#memory = memory;
  }

  /** Returns the member at an offset; undefined if none is there. */
  at(offset: number): PackedMember | undefined {
    const header = decodeHeader(this.#bytes(offset, HEADER_BYTES + LONGEST_PATH));
    if (header === undefined) return undefined;
    const end = offset + HEADER_BYTES + header.path.length + header.packed;
    return end > this.end ? undefined : { path: header.path, bytes: this.#bytes(offset, end - offset), end };
  }

  /** Returns bytes at an offset; fewer if the members end before. */
  #bytes(offset: number, length: number): Buffer {
    const end = Math.max(offset, Math.min(this.end, offset + length));
    if (offset < this.#start || end > this.#start + this.#window.length) {
      // against the order, the window ends where the last one began
      const windowEnd = offset < this.#start ? Math.max(end, this.#start) : Math.min(this.end, offset + Math.max(length, WINDOW));
      this.#start = Math.max(0, Math.min(offset, windowEnd - WINDOW));
      if (windowEnd - this.#start > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(windowEnd - this.#start);
      this.#window = readAt(this.#file, this.#start, windowEnd - this.#start, this.#memory);
    }
    return this.#window.subarray(offset - this.#start, end - this.#start);
  }
}
