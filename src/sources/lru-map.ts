/**
 * A map from texts to values with a limit on memory.
 * When the limit is reached, the half that was not used recently is dropped.
 */
export class LruMap<T> {
  readonly #half: number;
  #recent = new Map<string, T>();
  #older = new Map<string, T>();
  /** The length of all recent keys, in UTF-16 units. */
  #length = 0;

  /** @param capacity the greatest length of all keys together, in UTF-16 units */
  constructor(capacity: number) {
    this.#half = capacity / 2;
  }

  get(text: string): T | undefined {
    const value = this.#recent.get(text);
    if (value !== undefined) return value;
    const older = this.#older.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, value: T): void {
    this.#length += text.length;
    if (this.#length > this.#half) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#length = text.length;
    }
    this.#recent.set(ownCopy(text), value);
  }
}

/** Copies a string. V8 joins and slices strings by reference, so a slice keeps the megabyte it was cut from in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
