/** The number of buckets: small enough for constant memory, large enough to narrow the search for one record. */
const BUCKETS = 65_536;

/**
 * A hash of a multiset of records, in constant memory: for each bucket of ids, the sum of the hashes of its records.
 * Two hashes of the same records are equal, in whatever order the records were added. If they differ, the differing
 * buckets show which records to check again.
 */
export class MultisetHash {
  readonly #sums: Float64Array = new Float64Array(BUCKETS);

  add(id: number, json: string): void {
    const bucket = bucketOf(id);
    // a summand is at most 2^32 and never 0: sums are exact up to 2^21 records in a bucket, 2^37 in total
    this.#sums[bucket] = (this.#sums[bucket] ?? 0) + hashesOf(json)[0] + 1;
  }

  /** Returns the buckets in which the two hashes differ. */
  differences(other: MultisetHash): number[] {
    const buckets: number[] = [];
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) if (this.#sums[bucket] !== other.#sums[bucket]) buckets.push(bucket);
    return buckets;
  }
}

export function bucketOf(id: number): number {
  return id % BUCKETS;
}

/** Returns two 32-bit hashes of a text's UTF-16 units. They are not cryptographic. */
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
