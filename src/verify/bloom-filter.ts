import { hashesOf } from './text-hash.ts';

/** The size of the filter. */
export const BLOOM_BYTES: number = 1 << 24;

/**
 * A Bloom filter for names, in a fixed 16 MB. With a million names, it takes a new name for a known one about once in a
 * million. It never takes a known name for a new one.
 */
export class BloomFilter {
  readonly #bits: Uint32Array;

  /** @param memory the bits, {@link BLOOM_BYTES}. Threads can add names to the same memory at the same time */
  constructor(memory: ArrayBufferLike = new ArrayBuffer(BLOOM_BYTES)) {
    this.#bits = new Uint32Array(memory);
  }

  /** Adds a name. Returns true if it may have been added before. */
  add(name: string): boolean {
    let seen = true;
    for (const bit of bitsOf(name)) {
      const mask = 1 << (bit & 31);
      if ((Atomics.or(this.#bits, bit >>> 5, mask) & mask) === 0) seen = false;
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
