import type { Match } from './search-terms.ts';

/** A term of an account. Terms are sorted, so all accounts that a prefix finds are beside each other. */
export interface Term {
  readonly text: string;
  readonly match: Match;
  /** The number of UTF-16 units that an earlier term of the same account begins with too; -1: it is the first. */
  readonly shared: number;
  /** The account: the JSON of its handle, place, name and number of changes, separated by commas. */
  readonly entry: string;
  /** The former handle that the term comes from, as JSON after a comma; '' for other terms. */
  readonly former: string;
  readonly changes: number;
  /** How much the term adds to the size of a file. */
  readonly size: number;
}

/** Returns a term as a line. No field has a tab or a line break: a text has no white space but spaces, and JSON escapes both. */
export function lineOf({ text, match, shared, entry, former, changes, size }: Term): string {
  return `${text}\t${match}\t${shared}\t${entry}\t${former}\t${changes}\t${size}`;
}

function termOf(line: string): Term {
  const [text = '', match, shared, entry = '', former = '', changes, size] = line.split('\t');
  return { text, match: MATCHES[Number(match)] ?? 3, shared: Number(shared), entry, former, changes: Number(changes), size: Number(size) };
}

const MATCHES: readonly Match[] = [0, 1, 2, 3];

/** The number of terms that are dropped from memory at once. */
const DROPPED = 1000;

/** Reads sorted terms, and looks ahead as far as needed to see whether a prefix needs a file of its own. */
export class TermCursor {
  readonly #source: Iterator<string>;
  #ahead: Term[] = [];
  #first = 0;

  /** @param source sorted lines of terms */
  constructor(source: Iterator<string>) {
    this.#source = source;
  }

  /** Returns the next term if it begins with a prefix. */
  at(prefix: string): Term | undefined {
    const term = this.#peek(0);
    return term?.text.startsWith(prefix) ? term : undefined;
  }

  take(): Term {
    const term = this.#peek(0);
    if (term === undefined) throw new RangeError('no term is left');
    this.#first += 1;
    return term;
  }

  /** Whether the terms that begin with a prefix are at most so many and so large. */
  fits(prefix: string, terms: number, size: number): boolean {
    let total = 0;
    for (let count = 0; ; count += 1) {
      const term = this.#peek(count);
      if (term === undefined || !term.text.startsWith(prefix)) return true;
      total += term.size;
      if (count >= terms || total > size) return false;
    }
  }

  #peek(offset: number): Term | undefined {
    while (this.#ahead.length - this.#first <= offset) {
      if (this.#first > DROPPED) {
        this.#ahead = this.#ahead.slice(this.#first);
        this.#first = 0;
      }
      const { value, done } = this.#source.next();
      if (done === true) return undefined;
      this.#ahead.push(termOf(value));
    }
    return this.#ahead[this.#first + offset];
  }
}
