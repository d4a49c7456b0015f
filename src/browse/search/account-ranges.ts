/** The numbers of the ranges of each account, in the order in which accounts are read. They take about eight bytes for each account. */
export class AccountRanges {
  /** For each account the number of its ranges, then the ranges. */
  #numbers: Uint16Array | Uint32Array;
  #length = 0;

  /** @param ranges the number of all ranges */
  constructor(ranges: number) {
    this.#numbers = new (ranges > 65_536 ? Uint32Array : Uint16Array)(65_536);
  }

  /** Adds the next account. */
  add(ranges: ReadonlySet<number>): void {
    this.#push(ranges.size);
    for (const range of ranges) this.#push(range);
  }

  /** Yields the ranges of each account. */
  *each(): Generator<Uint16Array | Uint32Array> {
    for (let at = 0; at < this.#length; ) {
      const end = at + 1 + (this.#numbers[at] ?? 0);
      yield this.#numbers.subarray(at + 1, end);
      at = end;
    }
  }

  #push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = this.#numbers instanceof Uint16Array ? new Uint16Array(2 * this.#length) : new Uint32Array(2 * this.#length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }
}
