import { cut } from '../../contract/json.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** The greatest length of one value, in UTF-16 units. A whole value is kept in memory. */
export const LONGEST: number = 1 << 26;

/** The array whose elements are split: its depth, its name, and the number of elements so far. */
interface List {
  readonly depth: number;
  readonly name: string;
  count: number;
}

const [NEWLINE, SPACE, QUOTE, BACKSLASH] = [0x0a, 0x20, 0x22, 0x5c];
const [COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits JSON documents into values without keeping a whole document in memory:
 * - Each element of a top-level array is one value, and so is each element of the array `results` in a
 *   top-level object.
 * - The object around `results` follows its elements, with an empty array.
 * - Any other object is one value.
 * The splitter finds only where values begin and end; JSON.parse checks their syntax. It visits each character
 * once.
 */
export class ElementSplitter {
  /** The text of the current value from earlier pieces. It is joined only when the value is complete. */
  #parts: string[] = [];
  #bufferedLength = 0;
  /** The line of the current position, and the line on which the current value begins. */
  #line: number;
  #valueLine: number;
  /** Whether there was only white space since the last value. */
  #isBetween = true;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The start of the last string at depth 1, without quotes, to detect `results`; and the last structural character. */
  #key = '';
  #lastMark = 0;
  #list: List | undefined;
  /** The object around `results`, up to and including its opening bracket. */
  #frame: { readonly head: string; readonly line: number; elements: number } | undefined;

  /** @param line the line on which the text begins, from 1 */
  constructor(line: number) {
    this.#line = line;
    this.#valueLine = line;
  }

  /** @throws NotJson if the text is not JSON, or as soon as a value is longer than {@link LONGEST} */
  push(piece: string): RawValue[] {
    const values: RawValue[] = [];
    let start = 0;
    for (let index = 0; index < piece.length; ) {
      if (this.#inString) {
        index = this.#skipString(piece, index);
        continue;
      }
      const unit = piece.charCodeAt(index);
      if (unit === NEWLINE) this.#line += 1;
      if (unit > SPACE || !isSpace(unit)) {
        if (this.#isBetween) start = this.#begin(piece, index, unit);
        start = this.#mark(piece, start, index, unit, values);
      }
      index += 1;
    }
    if (!this.#isBetween) this.#buffer(piece.slice(start));
    return values;
  }

  /** @throws NotJson if a value is not complete */
  end(): RawValue[] {
    if (this.isComplete) return [];
    const [text, line] = this.#isBetween ? ['', this.#line] : [this.#parts.join(''), this.#valueLine];
    const found = `a file that ends inside the value that begins here: ${cut(text)}`;
    throw new NotJson(line, 'a complete JSON document', found, text, 'the file is cut off: save or copy it again; the store is unchanged');
  }

  /** Whether every document has ended. */
  get isComplete(): boolean {
    return this.#depth === 0;
  }

  /** Whether the position is inside a string. A string cannot contain a line break. */
  get inString(): boolean {
    return this.#inString;
  }

  #buffer(text: string): void {
    this.#parts.push(text);
    this.#bufferedLength += text.length;
    if (this.#bufferedLength > LONGEST) throw new NotJson(this.#valueLine, `values of at most ${LONGEST} characters`, 'a longer value');
  }

  /** Returns the text of the current value and clears the buffer. */
  #take(last: string): string {
    const text = this.#parts.length === 0 ? last : this.#parts.join('') + last;
    this.#parts = [];
    this.#bufferedLength = 0;
    return text;
  }

  /** Returns the position after the string, or the end of the piece if the string continues in the next one. */
  #skipString(piece: string, from: number): number {
    let index = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      index += 1;
    }
    for (; index < piece.length; index += 1) {
      const unit = piece.charCodeAt(index);
      if (unit === QUOTE) {
        this.#inString = false;
        break;
      }
      if (unit === BACKSLASH) {
        index += 1;
        this.#isEscaped = index === piece.length;
      } else if (unit === NEWLINE) {
        this.#line += 1;
      }
    }
    // a longer string cannot be the key `results`
    if (this.#depth === 1 && this.#key.length < 8) this.#key += piece.slice(from, Math.min(index, from + 8));
    return this.#inString ? piece.length : index + 1;
  }

  /** Starts a value at `index`. */
  #begin(piece: string, index: number, unit: number): number {
    if (this.#depth === 0 && unit !== OPEN_OBJECT && unit !== OPEN_ARRAY) {
      const text = piece.slice(index, index + 100);
      throw new NotJson(this.#line, 'one JSON document', cut(text.trim()), text);
    }
    this.#isBetween = false;
    this.#valueLine = this.#line;
    return index;
  }

  /** Handles one character and returns where the text of the current value begins in the piece. */
  #mark(piece: string, start: number, index: number, unit: number, values: RawValue[]): number {
    switch (unit) {
      case QUOTE:
        this.#inString = true;
        if (this.#depth === 1) this.#key = '';
        return start;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return this.#open(piece, start, index, unit);
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return this.#close(piece, start, index, unit, values);
      case COMMA:
        this.#lastMark = unit;
        return this.#depth === this.#list?.depth ? this.#element(piece, start, index, values) : start;
      case COLON:
        this.#lastMark = unit;
        return start;
      default:
        return start;
    }
  }

  #open(piece: string, start: number, index: number, unit: number): number {
    const isResults =
      this.#depth === 1 && unit === OPEN_ARRAY && this.#lastMark === COLON && this.#key === 'results' && this.#list === undefined;
    this.#depth += 1;
    this.#lastMark = unit;
    if (this.#depth === 1 && unit === OPEN_ARRAY) {
      this.#list = { depth: 1, name: '', count: 0 };
    } else if (isResults && this.#frame === undefined) {
      this.#list = { depth: 2, name: 'results', count: 0 };
      this.#frame = { head: this.#take(piece.slice(start, index + 1)), line: this.#valueLine, elements: 0 };
    } else {
      return start;
    }
    this.#isBetween = true;
    return index + 1;
  }

  #close(piece: string, start: number, index: number, unit: number, values: RawValue[]): number {
    let from = start;
    if (this.#depth === this.#list?.depth) from = this.#closeList(piece, start, index, unit, values);
    this.#depth -= 1;
    this.#lastMark = unit;
    if (this.#depth > 0) return from;
    this.#isBetween = true;
    if (from > index) return from;
    const rest = this.#take(piece.slice(from, index + 1));
    const frame = this.#frame;
    if (frame === undefined) values.push({ text: rest, line: this.#valueLine, path: '' });
    else values.push({ text: frame.head + rest, line: frame.line, path: '', elements: frame.elements });
    this.#frame = undefined;
    return index + 1;
  }

  /**
   * Ends the list and returns where the text continues: at the closing bracket if an object surrounds the list,
   * otherwise after it.
   */
  #closeList(piece: string, start: number, index: number, unit: number, values: RawValue[]): number {
    const list = this.#list;
    if (unit !== CLOSE_ARRAY || list === undefined) throw new NotJson(this.#line, 'the end of an array, ]', piece.charAt(index));
    // the value starts at the closing bracket: there was no element before it
    const isEmpty = list.count === 0 && start === index && this.#bufferedLength === 0;
    if (!isEmpty) this.#element(piece, start, index, values);
    this.#list = undefined;
    if (this.#frame === undefined) return index + 1;
    this.#frame.elements = list.count;
    this.#isBetween = false;
    return index;
  }

  /** Adds the element that ends before `index`, and returns where the next one begins. */
  #element(piece: string, start: number, index: number, values: RawValue[]): number {
    const list = this.#list;
    if (list === undefined) return start;
    values.push({ text: this.#take(piece.slice(start, index)), line: this.#valueLine, path: `${list.name}[${list.count}]` });
    list.count += 1;
    this.#isBetween = true;
    return index + 1;
  }
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === NEWLINE || unit === 0x0d || unit === 0x09;
}
