import { ElementSplitter } from './element-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** The greatest length of a line that is read as one value, in UTF-16 units. A longer line is split into its elements. */
export const LONG_LINE: number = 1 << 20;

const BRACE = '{'.charCodeAt(0);

/** Accepts a text in pieces and returns the values that each piece completes. */
export interface Splitter {
  readonly push: (text: string) => RawValue[];
  /** Returns the values that the end of the text completes. */
  readonly end: () => RawValue[];
}

/** Splits text into lines, each a value (NDJSON, and a compact page). A broken line does not affect the next one. */
export class LineSplitter implements Splitter {
  /** The pieces of an incomplete line. They are joined when the line is complete. */
  #rest: string[] = [];
  #lineLength = 0;
  #line: number;
  /** Splits the current line if it is long. */
  #long: ElementSplitter | undefined;
  /** Whether the rest of the current line is ignored, because the line is broken. */
  #isSkipping = false;

  constructor(line: number) {
    this.#line = line;
  }

  push(text: string): RawValue[] {
    const values: RawValue[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#lineLength > 0 || end - start > LONG_LINE) {
        this.#buffer(text.slice(start, end), values);
        this.#endLine(values);
      } else {
        this.#add(text.slice(start, end), values);
      }
      this.#line += 1;
      start = end + 1;
    }
    if (start < text.length) this.#buffer(text.slice(start), values);
    return values;
  }

  end(): RawValue[] {
    return this.push('\n');
  }

  #add(line: string, values: RawValue[]): void {
    if (line.charCodeAt(0) === BRACE || line.trim() !== '') values.push({ text: line, line: this.#line, path: '' });
  }

  #buffer(piece: string, values: RawValue[]): void {
    this.#lineLength += piece.length;
    if (this.#isSkipping) return;
    if (this.#long !== undefined) {
      this.#split(this.#long, piece, values);
      return;
    }
    this.#rest.push(piece);
    if (this.#lineLength <= LONG_LINE) return;
    this.#long = new ElementSplitter(this.#line);
    this.#split(this.#long, this.#takeRest(), values);
  }

  #endLine(values: RawValue[]): void {
    const long = this.#long;
    if (long === undefined) this.#add(this.#takeRest(), values);
    else if (!this.#isSkipping) this.#orBroken(() => long.end(), values);
    this.#long = undefined;
    this.#isSkipping = false;
    this.#lineLength = 0;
  }

  #split(long: ElementSplitter, piece: string, values: RawValue[]): void {
    for (const value of this.#orBroken(() => long.push(piece), values)) values.push(value);
  }

  /** Returns the values of a splitter. If the line is broken, returns nothing and skips the rest of the line. */
  #orBroken(split: () => RawValue[], values: RawValue[]): RawValue[] {
    try {
      return split();
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      values.push(brokenValue(error));
      this.#isSkipping = true;
      return [];
    }
  }

  #takeRest(): string {
    const line = this.#rest.join('');
    this.#rest = [];
    return line;
  }
}

/** Returns a raw value for text that is not JSON. Its field `broken` has the reason. */
export function brokenValue(broken: NotJson): RawValue {
  return { text: broken.text ?? '', line: broken.line, path: '', broken };
}
