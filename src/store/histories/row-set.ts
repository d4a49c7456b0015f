/** A set of row numbers. It takes one bit for each number up to the highest. */
export class RowSet {
  /** How many numbers it has. */
  size = 0;
  #bits = new Uint8Array(1024);

  /** Adds a row number. Returns whether the set had it. */
  add(row: number): boolean {
    const index = Math.floor(row / 8);
    if (index >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(index + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    const before = this.#bits[index] ?? 0;
    const bit = 1 << (row % 8);
    if ((before & bit) !== 0) return true;
    this.#bits[index] = before | bit;
    this.size += 1;
    return false;
  }
}
