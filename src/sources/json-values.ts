import { cut } from '../contract/json.ts';
import { ElementSplitter } from './element-splitter.ts';
import { NotJson, type RawValue } from './raw-value.ts';

/** How long one value may be, in UTF-16 units: it is held in memory whole. */
const LONGEST = 1 << 27;

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
  let start = '';
  let splitter: Splitter | undefined;
  for await (const piece of pieces) {
    start += piece;
    splitter ??= splitterFor(start);
    if (splitter === undefined) continue;
    yield splitter.push(start);
    start = '';
    if (splitter.held > LONGEST) throw new NotJson(1, `values of at most ${LONGEST} characters`, 'a longer one');
  }
  if (splitter === undefined && start.trim() === '') throw new NotJson(1, 'JSON', 'an empty file');
  splitter ??= new LineSplitter();
  yield splitter.push(start);
  yield splitter.end();
}

/** Undefined while the text is too short to tell. */
function splitterFor(start: string): Splitter | undefined {
  const first = /^\s*(\S)[ \t\r]*(\S|\n)?/.exec(start);
  if (first === null) return undefined;
  const [, opening = '', next] = first;
  if (opening === '<') throw new NotJson(1, 'JSON', `HTML or XML: ${cut(start.trim())}`);
  if (opening === '[') return new ElementSplitter();
  if (opening !== '{') throw new NotJson(1, 'JSON that begins with { or [', cut(start.trim()));
  if (next === undefined) return undefined;
  return next === '\n' ? new ElementSplitter() : new LineSplitter();
}

class LineSplitter implements Splitter {
  #rest = '';
  #line = 1;

  push(text: string): RawValue[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const values = lines.map((line, index) => ({ text: line, line: this.#line + index, path: '' }));
    this.#line += lines.length;
    return values.filter((value) => value.text.trim() !== '');
  }

  end(): RawValue[] {
    return this.push('\n');
  }

  get held(): number {
    return this.#rest.length;
  }
}
