import { ElementSplitter } from './element-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** How long a line is taken as one value, in UTF-16 units; a longer one is split into its elements as it comes. */
export const LONG_LINE: number = 1 << 20;

const BRACE = '{'.charCodeAt(0);

/** Takes a text in pieces and gives the values that each piece completes. */
export interface Splitter {
  readonly push: (text: string) => RawValue[];
  /** The values that the text's end completes. */
  readonly end: () => RawValue[];
}

/** Splits text into lines, each a value (NDJSON, and a compact page). A broken line does not affect the next one. */
export class LineSplitter implements Splitter {
  /** The pieces of a line that is not complete: joined only once it is. */
  #rest: string[] = [];
  #held = 0;
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
      if (this.#held > 0 || end - start > LONG_LINE) {
        this.#hold(text.slice(start, end), values);
        this.#endLine(values);
      } else {
        this.#add(text.slice(start, end), values);
      }
      this.#line += 1;
      start = end + 1;
    }
    if (start < text.length) this.#hold(text.slice(start), values);
    return values;
  }

  end(): RawValue[] {
    return this.push('\n');
  }

  #add(line: string, values: RawValue[]): void {
    if (line.charCodeAt(0) === BRACE || line.trim() !== '') values.push({ text: line, line: this.#line, path: '' });
  }

  #hold(piece: string, values: RawValue[]): void {
    this.#held += piece.length;
    if (this.#isSkipping) return;
    if (this.#long !== undefined) {
      this.#split(this.#long, piece, values);
      return;
    }
    this.#rest.push(piece);
    if (this.#held <= LONG_LINE) return;
    this.#long = new ElementSplitter(this.#line);
    this.#split(this.#long, this.#takeRest(), values);
  }

  #endLine(values: RawValue[]): void {
    const long = this.#long;
    if (long === undefined) this.#add(this.#takeRest(), values);
    else if (!this.#isSkipping) this.#orBroken(() => long.end(), values);
    this.#long = undefined;
    this.#isSkipping = false;
    this.#held = 0;
  }

  #split(long: ElementSplitter, piece: string, values: RawValue[]): void {
    for (const value of this.#orBroken(() => long.push(piece), values)) values.push(value);
  }

  /** What a splitter gives, or nothing where the line is broken: the rest of it is ignored then. */
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

/** Text that is no value, in place of one. */
export function brokenValue(broken: NotJson): RawValue {
  return { text: broken.text ?? '', line: broken.line, path: '', broken };
}
