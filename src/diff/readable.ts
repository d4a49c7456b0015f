import { cleanupSemantic } from './cleanup-semantic.ts';
import { cleanupSemanticLossless } from './cleanup-semantic-lossless.ts';
import { type Edit, editsWithin, mergeAdjacent, type Sides, trimCommon, wholeEdit, wordEdits } from './edits.ts';
import { mergeWithinWords, snapToWords, trimToWords } from './snap-to-words.ts';
import { widthOf } from './weight.ts';

/**
 * The edits between two sides as a person would have marked them. The fewest edits keep letters that two
 * words have in common by chance; here what is kept is what a reader would say was kept. Of two readings,
 * one that looks for common words first and one that does not, the better is given.
 */
export function readableEdits(sides: Sides): Edit[] {
  const all = trimCommon(sides, wholeEdit(sides));
  const coarse = cleanupSemantic(sides, mergeAdjacent(wordEdits(sides).map((edit) => trimCommon(sides, edit))));
  // texts without a word in common would be compared twice
  const plans = coarse.some((edit) => edit.oldStart === all.oldStart && edit.oldEnd === all.oldEnd) ? [[all]] : [coarse, [all]];
  const readings = plans.map((plan) =>
    cleanup(
      sides,
      plan.flatMap((edit) => editsWithin(sides, edit)),
    ),
  );
  return readings.reduce((best, reading) => (score(sides, reading) > score(sides, best) ? reading : best));
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

/** What one more edit costs a reader, in graphemes kept. */
const COST = 3;

/** How much is kept, less what it takes to read it. */
function score({ old }: Sides, edits: readonly Edit[]): number {
  return -edits.reduce((lost, edit) => lost + widthOf(old.tokens, edit.oldStart, edit.oldEnd) + COST, 0);
}
