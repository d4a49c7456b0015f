import type { ByteText } from '../markup.ts';

/** After this number of items that were taken, their memory is freed. */
const DROP_AFTER = 2000;

/** Reads items that are sorted by a text, and looks ahead as far as needed to see whether a prefix needs a file of its own. */
export class PrefixCursor<T extends { readonly text: ByteText }> {
  readonly #source: Iterator<T>;
  #ahead: T[] = [];
  #first = 0;

  constructor(source: Iterator<T>) {
    this.#source = source;
  }

  /** Returns the next item if it begins with a prefix. */
  at(prefix: ByteText): T | undefined {
    const item = this.#peek(0);
    return item?.text.startsWith(prefix) ? item : undefined;
  }

  take(): T {
    const item = this.#peek(0);
    if (item === undefined) throw new RangeError('no item is left');
    this.#first += 1;
    return item;
  }

  /** Yields the items that begin with a prefix, and takes them. */
  *all(prefix: ByteText): Generator<T> {
    while (this.at(prefix) !== undefined) yield this.take();
  }

  /** Whether at most so many items begin with a prefix. */
  fits(prefix: ByteText, items: number): boolean {
    for (let count = 0; count <= items; count += 1) if (this.#peek(count)?.text.startsWith(prefix) !== true) return true;
    return false;
  }

  #peek(offset: number): T | undefined {
    while (this.#ahead.length - this.#first <= offset) {
      if (this.#first > DROP_AFTER) {
        this.#ahead = this.#ahead.slice(this.#first);
        this.#first = 0;
      }
      const { value, done } = this.#source.next();
      if (done === true) return undefined;
      this.#ahead.push(value);
    }
    return this.#ahead[this.#first + offset];
  }
}

/** The largest number of bytes of a prefix. Windows limits a path to 260 characters, and the name of a file can have three for each byte. */
export const LONGEST_PREFIX = 60;

/** Returns the beginning of a text with one character more. @param length the length of the beginning, in bytes */
export function longerPrefix(text: ByteText, length: number): ByteText {
  let end = length + 1;
  while (end < text.length && (text.charCodeAt(end) & 0xc0) === 0x80) end += 1;
  return text.slice(0, end);
}
