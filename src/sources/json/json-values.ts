import { cut } from '../../contract/json.ts';
import { ElementSplitter } from './element-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/**
 * Yields the JSON values of a text that arrives in pieces, one batch for each piece. Memory holds one value at
 * a time.
 * - If the first line is a complete value, each line is one value (NDJSON, and a compact page).
 * - Any other text is one document. Each element of its top-level array, or of the `results` of a page, is one
 *   value.
 * - A line of more than a million characters is also split into its elements.
 * @throws NotJson if the text is not JSON, ends too early, or a value is too long
 */
export async function* jsonValues(pieces: AsyncIterable<string>): AsyncGenerator<RawValue[]> {
  let [start, line] = ['', 1];
  let splitter: LineSplitter | ElementSplitter | undefined;
  for await (const piece of pieces) {
    if (splitter !== undefined) {
      yield splitter.push(piece);
      continue;
    }
    const text = (start + piece).trimStart();
    if (start === '') line += newlines(piece) - newlines(text);
    start = text;
    splitter = splitterFor(start, line);
    if (splitter !== undefined) yield splitter.push(start);
  }
  if (splitter === undefined) {
    if (start === '')
      throw new NotJson(1, 'JSON', 'an empty file', undefined, 'save or copy the file again, or leave it out; the store is unchanged');
    splitter = new LineSplitter(line);
    yield splitter.push(start);
  }
  yield splitter.end();
}

/** Chooses the splitter. Returns undefined until the text contains its first line and the start of the next one. */
function splitterFor(start: string, number: number): LineSplitter | ElementSplitter | undefined {
  if (start === '') return undefined;
  if (start.startsWith('[')) return new ElementSplitter(number);
  if (!start.startsWith('{')) throw new NotJson(number, 'JSON that begins with { or [', cut(start.trim()));
  const newline = start.indexOf('\n');
  const isFull = start.length > LONG_LINE;
  if (newline > LONG_LINE || (newline === -1 && isFull)) return new LineSplitter(number);
  if (newline === -1) return undefined;
  const line = start.slice(0, newline).trim();
  if (isJson(line)) return new LineSplitter(number);
  if (/[[{,]$/.test(line)) return new ElementSplitter(number);
  const next = /\S/.exec(start.slice(newline));
  if (next === null) return isFull ? new ElementSplitter(number) : undefined;
  // the first line is broken NDJSON if the next line begins like another value
  return next[0] === '{' ? new LineSplitter(number) : new ElementSplitter(number);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Splits the text of a page or array that is not JSON into its elements, so that only its broken elements are rejected.
 * @returns undefined if the text has no elements, or is broken outside of them
 */
export function elementsIn({ text, line, path, broken, elements }: RawValue): readonly RawValue[] | undefined {
  if (path !== '' || broken !== undefined || elements !== undefined) return undefined;
  const splitter = new ElementSplitter(line);
  try {
    const values = splitter.push(text);
    return splitter.isComplete && values.length > 1 ? values : undefined;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The greatest length of a line that is read as one value, in UTF-16 units. A longer line is split into its elements. */
const LONG_LINE = 1 << 20;

const BRACE = '{'.charCodeAt(0);

/** Splits text into lines, each a value (NDJSON, and a compact page). A broken line does not affect the next one. */
class LineSplitter {
  /** The pieces of an incomplete line. They are joined when the line is complete. */
  #rest: string[] = [];
  #lineLength = 0;
  #line: number;
  readonly #firstLine: number;
  /** Splits the current line if it is long. */
  #long: ElementSplitter | undefined;
  /** Whether the rest of the current line is ignored, because the line is broken. */
  #isSkipping = false;
  /** Splits all of the text, if its first line is long and ends inside a value: then it is one document. */
  #document: ElementSplitter | undefined;

  constructor(line: number) {
    this.#line = line;
    this.#firstLine = line;
  }

  push(text: string): RawValue[] {
    if (this.#document !== undefined) return this.#document.push(text);
    const values: RawValue[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#lineLength > 0 || end - start > LONG_LINE) {
        this.#buffer(text.slice(start, end), values);
        if (this.#isDocument()) {
          this.#document = this.#long;
          return [...values, ...this.push(text.slice(end))];
        }
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
    const values = this.push('\n');
    return this.#document === undefined ? values : [...values, ...this.#document.end()];
  }

  /** Whether the current line is the first one, and ends inside a value, but not inside a string: a string cannot continue in the next line. */
  #isDocument(): boolean {
    const long = this.#isSkipping || this.#line !== this.#firstLine ? undefined : this.#long;
    return long !== undefined && !long.isComplete && !long.inString;
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
      values.push({ text: error.text ?? '', line: error.line, path: '', broken: error });
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
