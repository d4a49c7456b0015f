import { cleanupSemantic } from './cleanup-semantic.ts';
import { cleanupSemanticLossless } from './cleanup-semantic-lossless.ts';
import { type Edit, editsWithin, mergeAdjacent, type Sides, trimCommon, wholeEdit, wordEdits } from './edits.ts';
import { mergeWithinWords, snapToWords, trimToWords } from './snap-to-words.ts';
import { widthOf } from './weight.ts';

/**
 * Returns the edits between two sides as a person would mark them.
 * The fewest edits keep letters that two words share by chance. These edits keep only what a reader would
 * consider unchanged.
 * Two variants are computed, one of which matches common words first. The better one is returned.
 */
export function readableEdits(sides: Sides): Edit[] {
  const all = trimCommon(sides, wholeEdit(sides));
  const coarse = cleanupSemantic(sides, mergeAdjacent(wordEdits(sides).map((edit) => trimCommon(sides, edit))));
  // without a common word both variants would be the same
  const plans = coarse.some((edit) => edit.oldStart === all.oldStart && edit.oldEnd === all.oldEnd) ? [[all]] : [coarse, [all]];
  const variants = plans.map((plan) =>
    cleanup(
      sides,
      plan.flatMap((edit) => editsWithin(sides, edit)),
    ),
  );
  return variants.reduce((best, variant) => (score(sides, variant) > score(sides, best) ? variant : best));
}

function cleanup(sides: Sides, edits: readonly Edit[]): Edit[] {
  let result = cleanupSemantic(sides, edits);
  result = mergeAdjacent(result.map((edit) => trimCommon(sides, edit)));
  result = mergeAdjacent(cleanupSemanticLossless(sides, result));
  for (let before = -1; result.length !== before; ) {
    before = result.length;
    result = cleanupSemantic(sides, snapToWords(sides, mergeWithinWords(sides, result)));
  }
  return mergeAdjacent(result.map((edit) => trimToWords(sides, edit)));
}

/** The cost of one more edit, in kept graphemes. */
const COST = 3;

/** Rates edits: higher if more text is kept in fewer edits. */
function score({ old }: Sides, edits: readonly Edit[]): number {
  return -edits.reduce((lost, edit) => lost + widthOf(old.tokens, edit.oldStart, edit.oldEnd) + COST, 0);
}
