/** The part of the capacity that becomes free when a map is full. */
const EVICTED = 1 / 8;

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  /** Whether it was used since the map last looked for entries to evict. */
  isUsed: boolean;
}

/**
 * A map with a limit on memory. If it is full, it evicts entries by the CLOCK policy: those that were added first, except those that
 * were used since it last looked at them.
 */
export class BoundedMap<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, Entry<V>>();
  #weight = 0;

  /** @param capacity the maximum weight of all entries */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Adds or replaces an entry. @param weight its size in memory, in the unit of the capacity */
  set(key: K, value: V, weight: number): void {
    this.#weight += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.set(key, { value, weight, isUsed: false });
    if (this.#weight > this.#capacity) this.#evict();
  }

  #evict(): void {
    const enough = this.#capacity * (1 - EVICTED);
    for (const [key, entry] of this.#entries) {
      if (this.#weight <= enough) break;
      this.#entries.delete(key);
      if (entry.isUsed) {
        entry.isUsed = false;
        // the loop sees it again if the others are not enough
        this.#entries.set(key, entry);
      } else {
        this.#weight -= entry.weight;
      }
    }
  }
}
