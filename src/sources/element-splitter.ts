import { cut } from '../contract/json.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** Where elements are being taken from: the array's depth, its name, the elements so far. */
interface List {
  readonly depth: number;
  readonly name: string;
  taken: number;
}

const STRUCTURE = /["{}[\],:]/g;
const STRING_END = /["\\]/g;

/**
 * Splits JSON documents into values without holding a document: each element of a top-level array,
 * or of the array `results` in a top-level object, as a value of its own; then the object that held
 * the array, emptied of it; any other object whole. It finds where values begin and end and leaves
 * their correctness to JSON.parse.
 */
export class ElementSplitter {
  /** Text from the beginning of the value at hand; all before it is done with. */
  #text = '';
  #position = 0;
  #line: number;
  #depth = 0;
  #inString = false;
  #stringStart = 0;
  /** The last string and the last structural character outside strings, to tell `"results":[`. */
  #lastString = '';
  #lastMark = '';
  #list: List | undefined;
  /** The object around `results`, up to and with its opening bracket. */
  #frame: { readonly head: string; readonly line: number } | undefined;

  /** @param line on which the text begins, from 1 */
  constructor(line: number) {
    this.#line = line;
  }

  push(text: string): RawValue[] {
    this.#text += text;
    const values: RawValue[] = [];
    while (this.#inString ? this.#skipString() : this.#nextMark(values)) {
      // each step moves on by one mark or one string
    }
    // space between documents is not worth keeping
    if (this.#depth === 0 && this.#text.trim() === '') this.#consume(this.#text.length);
    return values;
  }

  end(): RawValue[] {
    if (this.#depth > 0)
      throw new NotJson(this.#line, 'a whole JSON document', `an end inside the value that begins here: ${cut(this.#text)}`, this.#text);
    if (this.#text.trim() !== '') throw new NotJson(this.#line, 'one JSON document', cut(this.#text.trim()));
    return [];
  }

  get held(): number {
    return this.#text.length;
  }

  /** False when the string goes on beyond the text at hand. */
  #skipString(): boolean {
    STRING_END.lastIndex = this.#position;
    for (let match = STRING_END.exec(this.#text); match !== null; match = STRING_END.exec(this.#text)) {
      if (match[0] === '\\') {
        if (match.index + 1 >= this.#text.length) {
          this.#position = match.index;
          return false;
        }
        STRING_END.lastIndex = match.index + 2;
      } else {
        this.#inString = false;
        this.#lastString = this.#depth === 1 ? this.#text.slice(this.#stringStart + 1, match.index) : '';
        this.#position = match.index + 1;
        return true;
      }
    }
    this.#position = this.#text.length;
    return false;
  }

  /** False when no mark is left in the text at hand. */
  #nextMark(values: RawValue[]): boolean {
    STRUCTURE.lastIndex = this.#position;
    const match = STRUCTURE.exec(this.#text);
    if (match === null) {
      this.#position = this.#text.length;
      return false;
    }
    const mark = match[0];
    this.#position = match.index + 1;
    if (mark === '"') {
      this.#inString = true;
      this.#stringStart = match.index;
      return true;
    }
    if (mark === '{' || mark === '[') this.#open(mark, match.index);
    else if (mark === '}' || mark === ']') this.#close(mark, match.index, values);
    else if (mark === ',' && this.#depth === this.#list?.depth) this.#element(match.index, values);
    this.#lastMark = mark;
    return true;
  }

  #open(mark: string, index: number): void {
    const isArray = mark === '[';
    if (this.#depth === 0 && this.#text.slice(0, index).trim() !== '') {
      throw new NotJson(this.#line, 'one JSON document', cut(this.#text.trim()));
    }
    this.#depth += 1;
    if (this.#depth === 1 && isArray) {
      this.#list = { depth: 1, name: '', taken: 0 };
      this.#consume(index + 1);
    } else if (this.#depth === 2 && isArray && this.#list === undefined && this.#lastMark === ':' && this.#lastString === 'results') {
      this.#list = { depth: 2, name: 'results', taken: 0 };
      this.#frame = { head: this.#text.slice(0, index + 1), line: this.#line };
      this.#consume(index + 1);
    }
  }

  #close(mark: string, index: number, values: RawValue[]): void {
    if (this.#depth === 0) throw new NotJson(this.#line, 'one JSON document', cut(this.#text.trim()));
    if (this.#depth === this.#list?.depth) this.#closeList(mark, index, values);
    this.#depth -= 1;
    if (this.#depth > 0 || this.#position === 0) return;
    const text = (this.#frame?.head ?? '') + this.#text.slice(0, this.#position);
    const line = this.#frame?.line ?? this.#line + leadingLines(this.#text);
    values.push({ text, line, path: '' });
    this.#frame = undefined;
    this.#consume(this.#position);
  }

  /** Afterwards the text begins with the bracket that closes the list, if an object goes on after it. */
  #closeList(mark: string, index: number, values: RawValue[]): void {
    if (mark !== ']') throw new NotJson(this.#line, 'the end of an array, ]', mark);
    const isEmpty = this.#list?.taken === 0 && this.#text.slice(0, index).trim() === '';
    if (isEmpty) this.#consume(index);
    else this.#element(index, values);
    this.#list = undefined;
    if (this.#frame === undefined) this.#consume(1);
  }

  /** Gives the element that ends before `index`, and is done with the text up to and with it. */
  #element(index: number, values: RawValue[]): void {
    const list = this.#list;
    if (list === undefined) return;
    const text = this.#text.slice(0, index);
    const line = this.#line + leadingLines(text);
    values.push({ text, line, path: `${list.name}[${list.taken}]` });
    list.taken += 1;
    this.#consume(this.#text[index] === ',' ? index + 1 : index);
  }

  #consume(end: number): void {
    this.#line += newlines(this.#text.slice(0, end));
    this.#text = this.#text.slice(end);
    this.#position = Math.max(0, this.#position - end);
  }
}

/** The line breaks before a text's first other character. */
function leadingLines(text: string): number {
  return newlines(/^\s*/.exec(text)?.[0] ?? '');
}

/** How many line breaks a text has. */
export function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
