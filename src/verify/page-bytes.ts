/** The bytes of a page, compared with the canonical JSON of the page from its start to its end. */
export class PageBytes {
  readonly #bytes: Buffer;
  /** The bytes, one character for each. */
  readonly #latin1: string;
  /** How many bytes were compared. */
  #at = 0;
  #isCanonical = true;

  /** @param start the canonical JSON before the first item */
  constructor(bytes: Buffer, start: string) {
    this.#bytes = bytes;
    this.#latin1 = bytes.toString('latin1');
    this.#compare(Buffer.from(start));
  }

  /**
   * Compares the next part of the page with its canonical JSON.
   * @param form matches canonical JSON of this part only: with a match, the part is not encoded again
   * @param encode returns the canonical JSON of the part
   * @returns the canonical JSON, in UTF-8
   */
  next(form: RegExp, encode: () => string): Buffer {
    const start = this.#at;
    form.lastIndex = start;
    if (this.#isCanonical && form.test(this.#latin1)) {
      this.#at = form.lastIndex;
      return this.#bytes.subarray(start, this.#at);
    }
    const json = Buffer.from(encode());
    this.#compare(json);
    return json;
  }

  /** Compares the comma between two parts of a list: all parts except the first follow one. */
  comma(index: number): void {
    if (index === 0) return;
    if (this.#latin1[this.#at] !== ',') this.#isCanonical = false;
    this.#at += 1;
  }

  /** Leaves out a part that has no canonical JSON. The page is not canonical then. */
  skip(): void {
    this.#isCanonical = false;
  }

  /** Compares the rest of the page. Returns whether all bytes are canonical. */
  endsWith(end: string): boolean {
    this.#compare(Buffer.from(end));
    return this.#isCanonical && this.#at === this.#bytes.length;
  }

  #compare(json: Buffer): void {
    const end = this.#at + json.length;
    if (this.#isCanonical) this.#isCanonical = this.#bytes.subarray(this.#at, end).equals(json);
    this.#at = end;
  }

  /** The page as text. */
  toString(): string {
    return this.#bytes.toString();
  }
}
