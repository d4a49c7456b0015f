import type { ByteText } from '../markup.ts';
import { LONGEST_PREFIX } from './search-terms.ts';

/** A term of the sample, with the size of the JSON of its account in bytes. */
interface SampledTerm {
  readonly text: ByteText;
  readonly size: number;
}

/** The end of a text that stands for all longer texts with the same first bytes. No UTF-8 has the byte 0xff. */
const [LONGER, AFTER_LONGER] = ['\0', '\u00ff'];

/** Returns the text that decides the range of a term. Longer terms with the same first bytes have the same one. */
export function rangeText(term: ByteText): ByteText {
  return term.length <= LONGEST_PREFIX ? term : term.slice(0, LONGEST_PREFIX) + LONGER;
}

/** Whether a start is that of a range which has only the best of too many accounts, see {@link startsOf}. */
export function isCrowded(start: ByteText): boolean {
  return start.length > LONGEST_PREFIX && start.endsWith(LONGER);
}

/**
 * Yields the starts of ranges of texts, in order. A range that is too large is divided in the middle of its possible texts, not
 * of its terms, so that a new term moves no start. It rarely adds one. Too many longer terms with the same first bytes have a range
 * of their own. Its file has only the best of their accounts.
 * @param terms the range texts of the terms of a range: they begin with `prefix`, and the next byte is at least `low` and less than `high`
 * @param size the largest size of a range
 */
export function* startsOf(terms: readonly SampledTerm[], size: number, prefix: ByteText = '', low = 0, high = 256): Generator<ByteText> {
  const [first] = terms;
  const isSmall = terms.reduce((sum, term) => sum + term.size, 0) <= size;
  if (isSmall || first === undefined) {
    yield low === 0 ? prefix : prefix + String.fromCharCode(low);
  } else if (prefix.length === LONGEST_PREFIX) {
    yield prefix + LONGER;
    yield prefix + AFTER_LONGER;
  } else if (first.text.length < LONGEST_PREFIX && terms.every(({ text }) => text === first.text)) {
    // too many accounts have this term: no range has them, and a file `best-….js` has only the best
    yield `${first.text}\0`;
  } else if (high - low === 1) {
    yield* startsOf(terms, size, prefix + String.fromCharCode(low));
  } else {
    const middle = (low + high) / 2;
    const start = prefix + String.fromCharCode(middle);
    const [before, after] = [terms.filter(({ text }) => text < start), terms.filter(({ text }) => text >= start)];
    if (before.length > 0) yield* startsOf(before, size, prefix, low, middle);
    if (after.length > 0) yield* startsOf(after, size, prefix, middle, high);
  }
}

/** Returns the number of the range of a text: the last one that does not start after it, or else the first. */
export function rangeOf(text: ByteText, starts: readonly ByteText[]): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? '') <= text) low = middle;
    else high = middle;
  }
  return low;
}
