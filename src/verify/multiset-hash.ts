/** How many buckets records are counted in: few enough for memory to stay flat, many enough to find one. */
const BUCKETS = 65_536;

/**
 * What has been seen, in memory that does not grow: for each bucket of ids the sum of its records'
 * hashes. Two ledgers of the same records agree, whatever their order; where they do not, the buckets
 * that differ tell which records to look at again.
 */
export class MultisetHash {
  readonly #sums: Float64Array = new Float64Array(BUCKETS);

  add(id: number, json: string): void {
    const bucket = bucketOf(id);
    // at most 2^32 a summand, never 0, so that sums stay exact up to 2^21 records in a bucket, 2^37 in all
    this.#sums[bucket] = (this.#sums[bucket] ?? 0) + hashesOf(json)[0] + 1;
  }

  /** The buckets in which the two differ. */
  differences(other: MultisetHash): number[] {
    const buckets: number[] = [];
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) if (this.#sums[bucket] !== other.#sums[bucket]) buckets.push(bucket);
    return buckets;
  }
}

export function bucketOf(id: number): number {
  return id % BUCKETS;
}

/** Two hashes of 32 bits, of a text's UTF-16 units: for telling texts apart, not for security. */
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

/**
 * Names that were seen, in a fixed 16 MB (a Bloom filter): it may take a new name for a known one, about
 * once in a million among a million names, never a known one for new.
 */
export class BloomFilter {
  readonly #bits: Uint32Array = new Uint32Array(1 << 22);

  /** Adds a name; true where it may have been there. */
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

/** The four bits that stand for a name. */
function bitsOf(name: string): readonly number[] {
  const [hash, other] = hashesOf(name);
  const step = other | 1;
  return [0, 1, 2, 3].map((round) => ((hash + Math.imul(round, step)) >>> 0) & 0x7ffffff);
}
