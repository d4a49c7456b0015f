/** How many places are kept. When the limit is reached, the half that was not used recently is dropped. */
const CAPACITY = 1 << 19;

/** Maps places of texts in one file to their places in another. A text whose place was dropped is written again. */
export class PlaceMap {
  #recent = new Map<number, number>();
  #older = new Map<number, number>();

  /** Returns the place in the other file. If it is not known, `write` writes the text there. */
  get(place: number, write: () => number): number {
    const known = this.#recent.get(place);
    if (known !== undefined) return known;
    if (this.#recent.size >= CAPACITY / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    const found = this.#older.get(place) ?? write();
    this.#recent.set(place, found);
    return found;
  }
}
