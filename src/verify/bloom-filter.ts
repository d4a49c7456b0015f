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
    const [hash, other] = hashesOf(name);
    let seen = true;
    for (let round = 0; round < ROUNDS; round += 1) {
      const bit = bitOf(hash, other, round);
      const mask = 1 << (bit & 31);
      if ((Atomics.or(this.#bits, bit >>> 5, mask) & mask) === 0) seen = false;
    }
    return seen;
  }

  /** Whether a name may have been added. */
  has(name: string): boolean {
    const [hash, other] = hashesOf(name);
    for (let round = 0; round < ROUNDS; round += 1) {
      const bit = bitOf(hash, other, round);
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

/** The number of bits of a name. */
const ROUNDS = 4;

/** Returns one of the bits of a name with two hashes. */
function bitOf(hash: number, other: number, round: number): number {
  return ((hash + Math.imul(round, other | 1)) >>> 0) & 0x7ffffff;
}
