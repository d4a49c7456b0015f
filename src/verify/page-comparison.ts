import { constants } from 'node:buffer';

/** Returns the canonical JSON of a part of a page, in UTF-8. Call it after the whole page was compared. */
export type PartJson = () => Buffer;

/** Compares the bytes of a page with the canonical JSON of the values on it, from its start to its end. */
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
   * @param pattern matches canonical JSON of such a part only: with a match, the part is not encoded again
   * @param encode returns the canonical JSON of the part
   */
  next(pattern: RegExp, encode: () => string): PartJson {
    const start = this.#at;
    pattern.lastIndex = start;
    if (this.#isCanonical && pattern.test(this.#latin1)) this.#at = pattern.lastIndex;
    else this.#compare(Buffer.from(encode()));
    const end = this.#at;
    // on another page, JSON.parse can have read another value than the pattern matched: of two equal keys, it takes the second one
    return () => (this.#isCanonical ? this.#bytes.subarray(start, end) : Buffer.from(encode()));
  }

  /** Compares the comma between two parts of a list: all parts except the first follow one. */
  comma(index: number): void {
    if (index > 0) this.#compare(COMMA);
  }

  /** Notes that a part has no canonical JSON. */
  invalid(): void {
    this.#isCanonical = false;
  }

  /** Compares the rest of the page. Returns whether all bytes of the page are canonical. */
  endsWith(end: string): boolean {
    this.#compare(Buffer.from(end));
    if (this.#at !== this.#bytes.length) this.#isCanonical = false;
    return this.#isCanonical;
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

const COMMA = Buffer.from(',');
