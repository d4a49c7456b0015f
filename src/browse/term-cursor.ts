import { termOf } from './search-term-lines.ts';
import type { Term } from './top-matches.ts';

/** After this number of terms that were taken, their memory is freed. */
const DROP_AFTER = 2000;

/** Reads sorted terms, and looks ahead as far as needed to see whether a prefix needs a file of its own. */
export class TermCursor {
  readonly #source: Iterator<string>;
  #ahead: Term[] = [];
  #first = 0;

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
      total += term.listed.size;
      if (count >= terms || total > size) return false;
    }
  }

  #peek(offset: number): Term | undefined {
    while (this.#ahead.length - this.#first <= offset) {
      if (this.#first > DROP_AFTER) {
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
