import { cut } from '../../contract/json.ts';
import { ElementSplitter } from './element-splitter.ts';
import { brokenValue, LineSplitter, LONG_LINE, type Splitter } from './line-splitter.ts';
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
  let splitter: Splitter | undefined;
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
function splitterFor(start: string, number: number): Splitter | undefined {
  if (start === '') return undefined;
  if (start.startsWith('[')) return new ElementSplitter(number);
  if (!start.startsWith('{')) throw new NotJson(number, 'JSON that begins with { or [', cut(start.trim()));
  const newline = start.indexOf('\n');
  const isFull = start.length > LONG_LINE;
  if (newline > LONG_LINE || (newline === -1 && isFull)) return new LongFirstLine(number);
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

/** Splits a first line that is so long that the kind of the text (NDJSON or one document) is still unknown. */
class LongFirstLine implements Splitter {
  readonly #document: ElementSplitter;
  readonly #line: number;
  #next: Splitter | undefined;

  constructor(line: number) {
    this.#document = new ElementSplitter(line);
    this.#line = line;
  }

  push(text: string): RawValue[] {
    if (this.#next !== undefined) return this.#next.push(text);
    const end = text.indexOf('\n');
    if (end === -1) return this.#document.push(text);
    const values = this.#document.push(text.slice(0, end));
    if (!this.#document.isComplete && !this.#document.inString) {
      this.#next = this.#document;
      return [...values, ...this.#next.push(text.slice(end))];
    }
    // a string cannot continue in the next line: this line is broken
    if (this.#document.inString) values.push(this.#broken());
    this.#next = new LineSplitter(this.#line + 1);
    return [...values, ...this.#next.push(text.slice(end + 1))];
  }

  end(): RawValue[] {
    return (this.#next ?? this.#document).end();
  }

  #broken(): RawValue {
    return brokenValue(new NotJson(this.#line, 'a complete JSON value in the line', 'a line that ends inside a string'));
  }
}

/** Counts the line breaks in a text. */
function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
