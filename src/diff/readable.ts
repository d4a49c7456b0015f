import { type Edit, editsWithin, everything, joined, type Sides, trimmed, wordEdits } from './edits.ts';
import { swallowed } from './remnants.ts';
import { mended, snapped, trimmedToWords } from './scraps.ts';
import { slid } from './slides.ts';
import { widthOf } from './weight.ts';

/**
 * The edits between two sides as a person would have marked them. The fewest edits keep letters that two
 * words have in common by chance; here what is kept is what a reader would say was kept. Of two readings,
 * one that looks for common words first and one that does not, the better is given.
 */
export function readableEdits(sides: Sides): Edit[] {
  const all = trimmed(sides, everything(sides));
  const coarse = swallowed(sides, joined(wordEdits(sides).map((edit) => trimmed(sides, edit))));
  // texts without a word in common would be compared twice
  const plans = coarse.some((edit) => edit.oldStart === all.oldStart && edit.oldEnd === all.oldEnd) ? [[all]] : [coarse, [all]];
  const readings = plans.map((plan) =>
    tidied(
      sides,
      plan.flatMap((edit) => editsWithin(sides, edit)),
    ),
  );
  return readings.reduce((best, reading) => (merit(sides, reading) > merit(sides, best) ? reading : best));
}

function tidied(sides: Sides, edits: readonly Edit[]): Edit[] {
  let result = swallowed(sides, edits);
  result = joined(result.map((edit) => trimmed(sides, edit)));
  result = joined(slid(sides, result));
  for (let before = -1; result.length !== before; ) {
    before = result.length;
    result = swallowed(sides, snapped(sides, mended(sides, result)));
  }
  return joined(result.map((edit) => trimmedToWords(sides, edit)));
}

/** What one more edit costs a reader, in graphemes kept. */
const COST = 3;

/** How much is kept, less what it takes to read it. */
function merit({ old }: Sides, edits: readonly Edit[]): number {
  return -edits.reduce((lost, edit) => lost + widthOf(old.tokens, edit.oldStart, edit.oldEnd) + COST, 0);
}
