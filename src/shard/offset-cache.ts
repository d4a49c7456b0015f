/** How many offsets are kept. When the limit is reached, the half that was not used recently is dropped. */
const CAPACITY = 1 << 19;

/** Maps the offsets of texts in one file to their offsets in another. A text whose offset was dropped is written again. */
export class OffsetCache {
  #recent = new Map<number, number>();
  #older = new Map<number, number>();

  /** Returns the offset in the other file. If it is not known, `write` writes the text there. */
  get(offset: number, write: () => number): number {
    const known = this.#recent.get(offset);
    if (known !== undefined) return known;
    if (this.#recent.size >= CAPACITY / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    const found = this.#older.get(offset) ?? write();
    this.#recent.set(offset, found);
    return found;
  }
}
