import type { Token } from './tokens.ts';
import { cutsWord, isInWord, isUnspaced } from './words.ts';

/** What parts a profile's lines and lists; a reader holds on to it. */
const SEPARATOR = /^[\n|•·●▪‖┃｜]/;
/** So many words in a row are not there by chance. */
const MANY_WORDS = 3;
/** Shorter words (of, for, and) are found in any text. */
const LONG_WORD = 4;

/** How long a reader takes tokens for: in graphemes, a mention or hashtag for its letters. */
export function widthOf(tokens: readonly Token[], start: number, end: number): number {
  let width = 0;
  for (let at = start; at < end; at += 1) width += tokens[at]?.entity === undefined ? 1 : (tokens[at]?.text.length ?? 1);
  return width;
}

/**
 * What tokens that were kept between two edits are worth to a reader, as the width of the edits they stand
 * up to: their own width, whole words twice; no edit is wide enough for a mention, a hashtag, a separator or many words.
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
    // the scrap of a word at the beginning is none
    word = at === start && cutsWord(tokens, at) ? Number.NEGATIVE_INFINITY : word + 1;
    if (cutsWord(tokens, at + 1)) continue;
    if (word > 0) words += 1;
    if (word >= LONG_WORD) weight += word;
  }
  // about two signs are a word where there are no spaces
  return words + unspaced / 2 >= MANY_WORDS ? Number.POSITIVE_INFINITY : weight;
}
