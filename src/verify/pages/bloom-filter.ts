const [LEAST_BYTES, MAX_BYTES] = [1 << 12, 1 << 24];
/** With so many bytes for each name, a filter takes a new name for a known one about once in a million. */
const NAME_BYTES = 16;

/** Returns the size of a filter for a number of names: a power of two, and at most 16 MB. */
export function bloomBytes(names: number): number {
  let bytes = LEAST_BYTES;
  while (bytes < MAX_BYTES && bytes < names * NAME_BYTES) bytes *= 2;
  return bytes;
}

/**
 * A Bloom filter for names. It never takes a known name for a new one. If there are more names than expected, it takes more new names
 * for known ones.
 */
export class BloomFilter {
  readonly #bits: Uint32Array;
  /** Selects the number of a bit from a hash. */
  readonly #mask: number;

  /** @param memory the bits, as many bytes as {@link bloomBytes} returns. Threads can add names to the same memory at the same time */
  constructor(memory: ArrayBufferLike) {
    this.#bits = new Uint32Array(memory);
    this.#mask = memory.byteLength * 8 - 1;
  }

  /** Returns an empty filter for a number of names. */
  static for(names: number): BloomFilter {
    return new BloomFilter(new ArrayBuffer(bloomBytes(names)));
  }

  /** Adds a name. Returns true if it may have been added before. */
  add(name: string): boolean {
    const [hash, other] = hashesOf(name);
    let seen = true;
    for (let round = 0; round < ROUNDS; round += 1) {
      const bit = bitOf(hash, other, round) & this.#mask;
      const mask = 1 << (bit & 31);
      if ((Atomics.or(this.#bits, bit >>> 5, mask) & mask) === 0) seen = false;
    }
    return seen;
  }

  /** Whether a name may have been added. */
  has(name: string): boolean {
    const [hash, other] = hashesOf(name);
    for (let round = 0; round < ROUNDS; round += 1) {
      const bit = bitOf(hash, other, round) & this.#mask;
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

/** The number of bits of a name. */
const ROUNDS = 4;

/** Returns the hash of one of the bits of a name with two hashes. */
function bitOf(hash: number, other: number, round: number): number {
  return (hash + Math.imul(round, other | 1)) >>> 0;
}

/** Returns two 32-bit hashes of the UTF-16 code units of a text. They are not cryptographic. */
function hashesOf(text: string): readonly [number, number] {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    two = Math.imul(two ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one >>> 0, two >>> 0];
}
