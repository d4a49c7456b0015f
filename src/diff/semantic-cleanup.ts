import { type Edit, editsWithin, mergeAdjacent, type Sides, span, trimCommon, wholeEdit, wordEdits } from './edits.ts';
import { mergeWithinWords, snapToWords, trimToWords } from './snap-to-words.ts';
import type { Token } from './tokens.ts';
import { cutScore, cutsWord, isInWord, isUnspaced } from './words.ts';

/**
 * Returns the edits between two sides as a person would mark them.
 * The fewest edits keep letters that two words share by chance. These edits keep only what a reader would
 * consider unchanged.
 * Two variants are computed, one of which matches common words first. The better one is returned.
 */
export function readableEdits(sides: Sides): Edit[] {
  const all = trimCommon(sides, wholeEdit(sides));
  const coarse = cleanupSemantic(sides, trimmed(sides, wordEdits(sides)));
  // without a common word both variants would be the same
  const plans = coarse.some((edit) => edit.oldStart === all.oldStart && edit.oldEnd === all.oldEnd) ? [[all]] : [coarse, [all]];
  const variants = plans.map((plan) => cleanup(sides, plan));
  return variants.reduce((best, variant) => (score(sides, variant) > score(sides, best) ? variant : best));
}

function cleanup(sides: Sides, plan: readonly Edit[]): Edit[] {
  const edits = plan.flatMap((edit) => editsWithin(sides, edit));
  let result = mergeAdjacent(cleanupSemanticLossless(sides, trimmed(sides, cleanupSemantic(sides, edits))));
  for (let before = -1; result.length !== before; ) {
    before = result.length;
    result = cleanupSemantic(sides, snapToWords(sides, mergeWithinWords(sides, result)));
  }
  return mergeAdjacent(result.map((edit) => trimToWords(sides, edit)));
}

function trimmed(sides: Sides, edits: readonly Edit[]): Edit[] {
  return mergeAdjacent(edits.map((edit) => trimCommon(sides, edit)));
}

/** The cost of one more edit, in kept graphemes. */
const COST = 3;

/** Rates edits: higher if more text is kept in fewer edits. */
function score({ old }: Sides, edits: readonly Edit[]): number {
  return -edits.reduce((lost, edit) => lost + widthOf(old.tokens, edit.oldStart, edit.oldEnd) + COST, 0);
}

/** Merges two edits if the text between them means less to a reader than either edit. */
function cleanupSemantic({ old, new: fresh }: Sides, edits: readonly Edit[]): Edit[] {
  const size = (edit: Edit) => Math.max(widthOf(old.tokens, edit.oldStart, edit.oldEnd), widthOf(fresh.tokens, edit.newStart, edit.newEnd));
  const result: Edit[] = [];
  for (const edit of edits) {
    let last = edit;
    for (let before = result.at(-1); before !== undefined; before = result.at(-1)) {
      const kept = weightOf(old.tokens, before.oldEnd, last.oldStart);
      if (kept > size(before) || kept > size(last)) break;
      last = span(before, last);
      result.pop();
    }
    result.push(last);
  }
  return result;
}

/** Moves each insertion or deletion to its most natural place, if the same change is possible at several places. */
function cleanupSemanticLossless(sides: Sides, edits: readonly Edit[]): Edit[] {
  const result: Edit[] = [];
  for (const [index, edit] of edits.entries()) {
    const isInsertion = edit.oldStart === edit.oldEnd;
    if (!isInsertion && edit.newStart !== edit.newEnd) result.push(edit);
    // the edit before may have moved closer already
    else result.push(slideEdit(sides, edit, isInsertion, result.at(-1)?.oldEnd ?? 0, edits[index + 1]?.oldStart ?? sides.old.ids.length));
  }
  return result;
}

/** @param first, last the range of old tokens in which the edit may move */
function slideEdit(sides: Sides, edit: Edit, isInsertion: boolean, first: number, last: number): Edit {
  const { tokens, ids } = isInsertion ? sides.new : sides.old;
  const [start, end] = isInsertion ? [edit.newStart, edit.newEnd] : [edit.oldStart, edit.oldEnd];
  let [low, high] = [0, 0];
  while (edit.oldStart + low > first && ids[start + low - 1] === ids[end + low - 1]) low -= 1;
  while (edit.oldEnd + high < last && ids[start + high] === ids[end + high]) high += 1;
  let best = { by: 0, score: -1 };
  for (let by = low; by <= high; by += 1) {
    const score = cutScore(tokens, start + by) + cutScore(tokens, end + by);
    if (score >= best.score) best = { by, score };
  }
  const { by } = best;
  return { oldStart: edit.oldStart + by, oldEnd: edit.oldEnd + by, newStart: edit.newStart + by, newEnd: edit.newEnd + by };
}

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
