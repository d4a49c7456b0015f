import { cut } from '../contract/json.ts';
import { ElementSplitter, newlines } from './element-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** How long one value may be, in UTF-16 units: it is held in memory whole. */
const LONGEST = 1 << 26;

interface Splitter {
  /** Takes the next piece of text and gives the values that are complete with it. */
  readonly push: (text: string) => RawValue[];
  readonly end: () => RawValue[];
  /** Units held back because their value is not complete. */
  readonly held: number;
}

/**
 * The JSON values of a text in pieces, one batch a piece. A text whose first line is a whole value is
 * taken line by line (NDJSON, and a compact page); any other is one document, of whose top-level
 * array, or page's `results`, each element is a value of its own. Memory holds one value at a time.
 * @throws NotJson where the text is no JSON, ends too early, or a value is too long
 */
export async function* jsonValues(pieces: AsyncIterable<string>): AsyncGenerator<RawValue[]> {
  let [start, line] = ['', 1];
  let splitter: Splitter | undefined;
  for await (const piece of pieces) {
    if (splitter === undefined) {
      const text = (start + piece).trimStart();
      line += newlines(start + piece) - newlines(text);
      start = text;
      splitter = splitterFor(start, line) ?? (start.length > LONGEST ? new LineSplitter(line) : undefined);
      if (splitter === undefined) continue;
      yield splitter.push(start);
    } else {
      yield splitter.push(piece);
    }
    if (splitter.held > LONGEST) throw new NotJson(line, `values of at most ${LONGEST} characters`, 'a longer one');
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
  if (newline === -1) return undefined;
  const line = start.slice(0, newline).trim();
  if (isJson(line)) return new LineSplitter(number);
  if (/[[{,]$/.test(line)) return new ElementSplitter(number);
  const next = /\S/.exec(start.slice(newline));
  if (next === null) return undefined;
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

const BRACE = '{'.charCodeAt(0);

class LineSplitter implements Splitter {
  /** The pieces of a line that is not complete: joined only once it is. */
  #rest: string[] = [];
  #line: number;
  held = 0;

  constructor(line: number) {
    this.#line = line;
  }

  push(text: string): RawValue[] {
    const values: RawValue[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#rest.length === 0 ? text.slice(start, end) : this.#complete(text.slice(start, end));
      if (line.charCodeAt(0) === BRACE || line.trim() !== '') values.push({ text: line, line: this.#line, path: '' });
      this.#line += 1;
      start = end + 1;
    }
    this.#rest.push(text.slice(start));
    this.held = this.#rest.reduce((length, piece) => length + piece.length, 0);
    return values;
  }

  end(): RawValue[] {
    return this.push('\n');
  }

  #complete(last: string): string {
    const line = this.#rest.join('') + last;
    this.#rest = [];
    return line;
  }
}
