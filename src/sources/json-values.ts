import { cut } from '../contract/json.ts';
import { ElementSplitter } from './element-splitter.ts';
import { brokenValue, LineSplitter, LONG_LINE, type Splitter } from './line-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/**
 * The JSON values of a text in pieces, one batch a piece. A text whose first line is a whole value is
 * taken line by line (NDJSON, and a compact page); any other is one document, of whose top-level
 * array, or page's `results`, each element is a value of its own, and so is a line of more than a
 * million characters. Memory holds one value at a time.
 * @throws NotJson where the text is no JSON, ends too early, or a value is too long
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
    if (start === '') throw new NotJson(1, 'JSON', 'an empty file');
    splitter = new LineSplitter(line);
    yield splitter.push(start);
  }
  yield splitter.end();
}

/** Undefined while the text is too short to tell: that takes its first line, and where the next one begins. */
function splitterFor(start: string, number: number): Splitter | undefined {
  if (start === '') return undefined;
  if (start.startsWith('<')) throw new NotJson(number, 'JSON', `HTML or XML: ${cut(start.trim())}`);
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
  // a line that is broken, if the next one begins as another value does
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

/** Splits a first line that is long before its end has shown whether more lines or the rest of a document follow. */
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
    // no string goes on in the next line: this one is broken
    if (this.#document.inString) values.push(this.#broken());
    this.#next = new LineSplitter(this.#line + 1);
    return [...values, ...this.#next.push(text.slice(end + 1))];
  }

  end(): RawValue[] {
    return (this.#next ?? this.#document).end();
  }

  #broken(): RawValue {
    return brokenValue(new NotJson(this.#line, 'a whole JSON value in the line', 'a line that ends within a string'));
  }
}

/** How many line breaks a text has. */
function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
