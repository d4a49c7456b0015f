import type { Edit, Sides } from './edits.ts';
import { cutScore } from './words.ts';

/** Moves each insertion or deletion to its most natural place, if the same change is possible at several places. */
export function cleanupSemanticLossless(sides: Sides, edits: readonly Edit[]): Edit[] {
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
