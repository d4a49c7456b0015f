import { hashesOf } from './text-hash.ts';

/**
 * A Bloom filter for names, in a fixed 16 MB. With a million names, it takes a new name for a known one about once in a
 * million. It never takes a known name for a new one.
 */
export class BloomFilter {
  readonly #bits: Uint32Array = new Uint32Array(1 << 22);

  /** Adds a name. Returns true if it may have been added before. */
  add(name: string): boolean {
    let seen = true;
    for (const bit of bitsOf(name)) {
      const word = this.#bits[bit >>> 5] ?? 0;
      const mask = 1 << (bit & 31);
      if ((word & mask) === 0) seen = false;
      this.#bits[bit >>> 5] = word | mask;
    }
    return seen;
  }

  /** Whether a name may have been added. */
  has(name: string): boolean {
    return bitsOf(name).every((bit) => ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0);
  }
}

/** Returns the four bits of a name. */
function bitsOf(name: string): readonly number[] {
  const [hash, other] = hashesOf(name);
  const step = other | 1;
  return [0, 1, 2, 3].map((round) => ((hash + Math.imul(round, step)) >>> 0) & 0x7ffffff);
}
