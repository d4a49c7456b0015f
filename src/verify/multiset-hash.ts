import { hashesOf } from './text-hash.ts';

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
