import { type Edit, editsWithin, everything, joined, type Sides, spanning, trimmed, wordEdits } from './edits.ts';
import type { Token } from './tokens.ts';
import { weightOf, widthOf } from './weight.ts';
import { cutScore, cutsWord, isDigit, isInWord } from './words.ts';

/**
 * The edits between two sides as a person would have marked them. The fewest edits keep letters that two
 * words have in common by chance; here what is kept is what a reader would say was kept. Of two readings,
 * one that looks for common words first and one that does not, the better is given.
 */
export function readableEdits(sides: Sides): Edit[] {
  const all = trimmed(sides, everything(sides));
  const coarse = swallowed(sides, wordEdits(sides));
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
    result = swallowed(sides, snapped(sides, result));
  }
  return joined(result.map((edit) => trimmedToWords(sides, edit)));
}

/** What one more edit costs a reader, in graphemes kept. */
const COST = 3;

/** How much is kept, less what it takes to read it. */
function merit({ old }: Sides, edits: readonly Edit[]): number {
  return -edits.reduce((lost, edit) => lost + widthOf(old.tokens, edit.oldStart, edit.oldEnd) + COST, 0);
}

/** What stands between two edits and says less than either is a remnant, and becomes a part of both. */
function swallowed({ old, new: fresh }: Sides, edits: readonly Edit[]): Edit[] {
  const size = (edit: Edit) => Math.max(widthOf(old.tokens, edit.oldStart, edit.oldEnd), widthOf(fresh.tokens, edit.newStart, edit.newEnd));
  const result: Edit[] = [];
  for (const edit of edits) {
    let last = edit;
    for (let before = result.at(-1); before !== undefined; before = result.at(-1)) {
      const kept = weightOf(old.tokens, before.oldEnd, last.oldStart);
      if (kept > size(before) || kept > size(last)) break;
      last = spanning(before, last);
      result.pop();
    }
    result.push(last);
  }
  return result;
}

/** Where the same insertion or deletion can be said of several places, the most natural one is said. */
function slid(sides: Sides, edits: readonly Edit[]): Edit[] {
  return edits.map((edit, index) => {
    const isInsertion = edit.oldStart === edit.oldEnd;
    if (!isInsertion && edit.newStart !== edit.newEnd) return edit;
    const { tokens, ids } = isInsertion ? sides.new : sides.old;
    const [start, end] = isInsertion ? [edit.newStart, edit.newEnd] : [edit.oldStart, edit.oldEnd];
    const room = {
      left: edit.oldStart - (edits[index - 1]?.oldEnd ?? 0),
      right: (edits[index + 1]?.oldStart ?? sides.old.ids.length) - edit.oldEnd,
    };
    let [low, high] = [0, 0];
    while (-low < room.left && ids[start + low - 1] === ids[end + low - 1]) low -= 1;
    while (high < room.right && ids[start + high] === ids[end + high]) high += 1;
    let best = { by: 0, score: -1 };
    for (let by = low; by <= high; by += 1) {
      const score = cutScore(tokens, start + by) + cutScore(tokens, end + by);
      if (score >= best.score) best = { by, score };
    }
    const { by } = best;
    return { oldStart: edit.oldStart + by, oldEnd: edit.oldEnd + by, newStart: edit.newStart + by, newEnd: edit.newEnd + by };
  });
}

/** In a replacement, the scrap of a word that is kept beside it is replaced too, where it is no longer than what was. */
function snapped(sides: Sides, edits: readonly Edit[]): Edit[] {
  const { old, new: fresh } = sides;
  return joined(
    edits.map((edit, index) => {
      if (edit.oldStart === edit.oldEnd || edit.newStart === edit.newEnd) return edit;
      const size = Math.max(edit.oldEnd - edit.oldStart, edit.newEnd - edit.newStart);
      const first = edits[index - 1]?.oldEnd ?? 0;
      const last = edits[index + 1]?.oldStart ?? old.tokens.length;
      const touchesLeft = isInWord(old.tokens, edit.oldStart) || isInWord(fresh.tokens, edit.newStart);
      const touchesRight = isInWord(old.tokens, edit.oldEnd - 1) || isInWord(fresh.tokens, edit.newEnd - 1);
      const left = touchesLeft ? scrap(old.tokens, edit.oldStart, -1, first, size) : 0;
      const right = touchesRight ? scrap(old.tokens, edit.oldEnd - 1, 1, last - 1, size) : 0;
      return { oldStart: edit.oldStart - left, newStart: edit.newStart - left, oldEnd: edit.oldEnd + right, newEnd: edit.newEnd + right };
    }),
  );
}

/** How many tokens the scrap of a word beside `from` has, in one direction up to `to`; 0 where it is longer than `most`. */
function scrap(tokens: readonly Token[], from: number, step: -1 | 1, to: number, most: number): number {
  let length = 0;
  let digits = true;
  for (let at = step < 0 ? from - 1 : from + 1; step < 0 ? at >= to : at <= to; at += step) {
    if (!isInWord(tokens, at)) break;
    digits &&= isDigit(tokens[at]);
    length += 1;
  }
  return digits || length <= most ? length : 0;
}

/** An edit without the whole words that both its sides begin and end with. */
function trimmedToWords(sides: Sides, edit: Edit): Edit {
  const inner = trimmed(sides, edit);
  let [front, back] = [inner.oldStart - edit.oldStart, edit.oldEnd - inner.oldEnd];
  const cuts = (oldAt: number, newAt: number) => cutsWord(sides.old.tokens, oldAt) || cutsWord(sides.new.tokens, newAt);
  while (front > 0 && cuts(edit.oldStart + front, edit.newStart + front)) front -= 1;
  while (back > 0 && cuts(edit.oldEnd - back, edit.newEnd - back)) back -= 1;
  return { oldStart: edit.oldStart + front, newStart: edit.newStart + front, oldEnd: edit.oldEnd - back, newEnd: edit.newEnd - back };
}
