import { constants } from 'node:buffer';

/** Compares the bytes of a page with its canonical JSON, part by part. Canonical JSON is what the encoder writes. */
export class PageComparison {
  readonly #bytes: Buffer;
  /** The bytes, one character for each; empty if this text would be too long. */
  readonly #latin1: string;
  /** How many bytes were compared. */
  #at = 0;
  #isCanonical = true;

  /** @param start the canonical JSON before the first item */
  constructor(bytes: Buffer, start: string) {
    this.#bytes = bytes;
    this.#latin1 = bytes.length > constants.MAX_STRING_LENGTH ? '' : bytes.toString('latin1');
    this.#compare(Buffer.from(start));
  }

  /**
   * Compares the next part of the page with its canonical JSON.
   * @param pattern matches only canonical JSON of such a part. If it matches, the part is not encoded again.
   * @param encode returns the canonical JSON of the part
   * @returns what returns the canonical JSON, in UTF-8. Call it after the whole page was compared
   */
  next(pattern: RegExp, encode: () => string): () => Buffer {
    const from = this.#at;
    pattern.lastIndex = from;
    if (this.#isCanonical && pattern.test(this.#latin1)) this.#at = pattern.lastIndex;
    else this.#compare(Buffer.from(encode()));
    const to = this.#at;
    // on another page, JSON.parse can have read another value than the pattern matched: of two equal keys, it takes the second one
    return () => (this.#isCanonical ? this.#bytes.subarray(from, to) : Buffer.from(encode()));
  }

  /** Compares the comma before a part of a list. The first part has none. */
  expectComma(index: number): void {
    if (index > 0) this.#compare(COMMA);
  }

  /** Marks the page as not canonical, because a part of it is invalid and has no canonical JSON. */
  markInvalid(): void {
    this.#isCanonical = false;
  }

  /** Compares the last part. Returns whether the whole page is canonical. */
  finish(end: string): boolean {
    this.#compare(Buffer.from(end));
    if (this.#at !== this.#bytes.length) this.#isCanonical = false;
    return this.#isCanonical;
  }

  #compare(json: Buffer): void {
    const end = this.#at + json.length;
    if (this.#isCanonical) this.#isCanonical = this.#bytes.subarray(this.#at, end).equals(json);
    this.#at = end;
  }

  toString(): string {
    return this.#bytes.toString();
  }
}

const COMMA = Buffer.from(',');
