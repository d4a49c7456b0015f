/**
 * Values by text, in memory that does not grow: when so much text is held as is allowed, the half that has
 * not been asked for since is forgotten.
 */
export class LruMap<T> {
  readonly #half: number;
  #recent = new Map<string, T>();
  #older = new Map<string, T>();
  /** UTF-16 units of text among the recent. */
  #length = 0;

  /** @param capacity how much text is held at the most, in UTF-16 units */
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

/** A string that does not keep the megabyte alive out of which it was cut: V8 joins and cuts by reference. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
