import type { Encoding } from './encoding.ts';
import { slotCount } from './layout.ts';

const BYTES = 32;
const WORDS = BYTES / Int32Array.BYTES_PER_ELEMENT;
const NONE = '00'.repeat(BYTES);

/**
 * The SHA-256 of each file of a collection, by slot. The digests are packed into memory that threads can share. A
 * tree of 100,000 pages takes 3 MB.
 */
export class Digests {
  readonly pages: number;
  readonly encodings: readonly Encoding[];
  readonly shared: SharedArrayBuffer;
  readonly #bytes: Buffer;
  readonly #words: Int32Array;

  constructor(
    pages: number,
    encodings: readonly Encoding[] = [],
    shared: SharedArrayBuffer = new SharedArrayBuffer(slotCount(pages, encodings) * BYTES),
  ) {
    this.pages = pages;
    this.encodings = encodings;
    this.shared = shared;
    this.#bytes = Buffer.from(shared);
    this.#words = new Int32Array(shared);
  }

  set(slot: number, digest: Uint8Array): void {
    this.#bytes.set(digest, slot * BYTES);
  }

  /** Returns the digest as hexadecimal digits; undefined if the slot has no known file. */
  get(slot: number): string | undefined {
    const hex = this.#bytes.toString('hex', slot * BYTES, (slot + 1) * BYTES);
    return hex === NONE ? undefined : hex;
  }

  /** Whether a slot has the same digest in both. */
  equals(other: Digests, slot: number): boolean {
    for (let word = slot * WORDS; word < (slot + 1) * WORDS; word += 1) if (this.#words[word] !== other.#words[word]) return false;
    return true;
  }

  /** Copies a slot's digest from another instance. */
  copy(other: Digests, slot: number): void {
    this.set(slot, other.#bytes.subarray(slot * BYTES, (slot + 1) * BYTES));
  }
}
