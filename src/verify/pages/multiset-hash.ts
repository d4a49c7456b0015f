import { crc32 } from 'node:zlib';

/** The number of buckets: small enough for constant memory, large enough to narrow the search for one record. */
const BUCKETS = 65_536;

/** The size of the sums. */
export const HASH_BYTES: number = 8 * BUCKETS;

/**
 * A hash of a multiset of records, in constant memory: for each bucket of ids, the sum of the hashes of its records.
 * Two hashes of the same records are equal, in whatever order the records were added. If they differ, the differing
 * buckets show which records to check again.
 */
export class MultisetHash {
  readonly #sums: Float64Array;

  /** @param memory the sums, {@link HASH_BYTES}: another thread can read them */
  constructor(memory: ArrayBufferLike = new ArrayBuffer(HASH_BYTES)) {
    this.#sums = new Float64Array(memory);
  }

  /** @param json the JSON of the record; a string is hashed as UTF-8 */
  add(id: number, json: Buffer | string): void {
    const bucket = bucketOf(id);
    // a summand is at most 2^32 and never 0: sums are exact up to 2^21 records in a bucket, 2^37 in total
    this.#sums[bucket] = (this.#sums[bucket] ?? 0) + hashOf(json) + 1;
  }

  addAll(other: MultisetHash): void {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) this.#sums[bucket] = (this.#sums[bucket] ?? 0) + (other.#sums[bucket] ?? 0);
  }

  /** Returns the buckets in which the two hashes differ. */
  differences(other: MultisetHash): number[] {
    const buckets: number[] = [];
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) if (this.#sums[bucket] !== other.#sums[bucket]) buckets.push(bucket);
    return buckets;
  }
}

/** Returns a 32-bit hash. Without the mixing, the sum of two records would often stay the same if they exchange their texts. */
function hashOf(json: Buffer | string): number {
  let hash = crc32(json);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function bucketOf(id: number): number {
  return id % BUCKETS;
}
