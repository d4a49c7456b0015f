/** Counts different keys of 64 bits, with eight to sixteen bytes for each. */
export class DistinctKeys {
  #keys = new BigUint64Array(1024);
  #length = 0;

  add(keys: readonly bigint[]): void {
    for (const key of keys) {
      if (this.#length === this.#keys.length) this.#grow();
      this.#keys[this.#length] = key;
      this.#length += 1;
    }
  }

  get size(): number {
    this.#removeRepeated();
    return this.#length;
  }

  #grow(): void {
    this.#removeRepeated();
    // if few keys were removed, the next removal would follow soon
    if (this.#length <= this.#keys.length / 2) return;
    const larger = new BigUint64Array(this.#keys.length * 2);
    larger.set(this.#keys);
    this.#keys = larger;
  }

  #removeRepeated(): void {
    const sorted = this.#keys.subarray(0, this.#length).sort();
    this.#length = 0;
    for (const key of sorted) {
      if (this.#length > 0 && this.#keys[this.#length - 1] === key) continue;
      this.#keys[this.#length] = key;
      this.#length += 1;
    }
  }
}
