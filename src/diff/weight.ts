import type { Token } from './tokens.ts';
import { cutsWord, isInWord, isUnspaced } from './words.ts';

/** Separators of lines and lists in a profile, which readers use for orientation. */
const SEPARATOR = /^[\n|•·●▪‖┃｜]/;
/** This many common words in a row are not a coincidence. */
const MANY_WORDS = 3;
/** Shorter words (of, for, and) occur in any text. */
const LONG_WORD = 4;

/** Returns the visible width of tokens: one for a grapheme, the number of letters for a mention or hashtag. */
export function widthOf(tokens: readonly Token[], start: number, end: number): number {
  let width = 0;
  for (let at = start; at < end; at += 1) width += tokens[at]?.entity === undefined ? 1 : (tokens[at]?.text.length ?? 1);
  return width;
}

/**
 * Returns the value to a reader of the tokens kept between two edits. Edits that are at least as wide absorb
 * them.
 * The value is the width of the tokens. Whole words of at least four letters count twice. It is infinite for a mention, a
 * hashtag, a separator or many words.
 */
export function weightOf(tokens: readonly Token[], start: number, end: number): number {
  let [weight, words, unspaced, word] = [0, 0, 0, 0];
  for (let at = start; at < end; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.entity !== undefined || SEPARATOR.test(token.text)) return Number.POSITIVE_INFINITY;
    weight += 1;
    if (isUnspaced(token)) unspaced += 1;
    if (!isInWord(tokens, at)) continue;
    if (!cutsWord(tokens, at)) word = 0;
    // a word fragment at the start does not count as a word
    word = at === start && cutsWord(tokens, at) ? Number.NEGATIVE_INFINITY : word + 1;
    if (cutsWord(tokens, at + 1)) continue;
    if (word > 0) words += 1;
    if (word >= LONG_WORD) weight += word;
  }
  // in scripts without spaces, about two characters form a word
  return words + unspaced / 2 >= MANY_WORDS ? Number.POSITIVE_INFINITY : weight;
}
