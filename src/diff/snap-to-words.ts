import { type Edit, mergeAdjacent, type Sides, span, trimCommon } from './edits.ts';
import type { Token } from './tokens.ts';
import { cutsWord, isDigit, isInWord, isMidWord } from './words.ts';

/** Merges the edits inside a word if they change at least as much as they keep: then it is another word. */
export function mergeWithinWords({ old, new: fresh }: Sides, edits: readonly Edit[]): Edit[] {
  const result: Edit[] = [];
  for (const edit of edits) {
    const before = result.at(-1);
    const kept = before === undefined ? 0 : edit.oldStart - before.oldEnd;
    const isMiddle =
      before !== undefined &&
      (isMidWord(old.tokens, before.oldEnd, edit.oldStart) || isMidWord(fresh.tokens, before.newEnd, edit.newStart));
    if (before !== undefined && isMiddle && kept <= sizeOf(before) + sizeOf(edit)) result.splice(-1, 1, span(before, edit));
    else result.push(edit);
  }
  return result;
}

function sizeOf(edit: Edit): number {
  return Math.max(edit.oldEnd - edit.oldStart, edit.newEnd - edit.newStart);
}

/** A word of at most this many letters is always replaced as a whole. */
const SHORT_WORD = 4;

/** Extends a replacement over a kept fragment of a word beside it, if the fragment is not longer than the replacement. */
export function snapToWords({ old, new: fresh }: Sides, edits: readonly Edit[]): Edit[] {
  return mergeAdjacent(
    edits.map((edit, index) => {
      if (edit.oldStart === edit.oldEnd || edit.newStart === edit.newEnd) return edit;
      const isCutLeft = isInWord(old.tokens, edit.oldStart) || isInWord(fresh.tokens, edit.newStart);
      const isCutRight = isInWord(old.tokens, edit.oldEnd - 1) || isInWord(fresh.tokens, edit.newEnd - 1);
      const left = isCutLeft ? fragmentLength(old.tokens, edit.oldStart - 1, -1, edits[index - 1]?.oldEnd ?? 0) : 0;
      const right = isCutRight ? fragmentLength(old.tokens, edit.oldEnd, 1, (edits[index + 1]?.oldStart ?? old.tokens.length) - 1) : 0;
      const size = sizeOf(edit);
      const isShort = left + size + right <= SHORT_WORD;
      // a number is always replaced as a whole
      const isTaken = (from: number, length: number) => isShort || length <= size || old.tokens.slice(from, from + length).every(isDigit);
      const [before, after] = [isTaken(edit.oldStart - left, left) ? left : 0, isTaken(edit.oldEnd, right) ? right : 0];
      return {
        oldStart: edit.oldStart - before,
        newStart: edit.newStart - before,
        oldEnd: edit.oldEnd + after,
        newEnd: edit.newEnd + after,
      };
    }),
  );
}

/** Returns the length of a word fragment, from one token in one direction up to another. */
function fragmentLength(tokens: readonly Token[], from: number, step: -1 | 1, to: number): number {
  let length = 0;
  for (let at = from; (to - at) * step >= 0 && isInWord(tokens, at); at += step) length += 1;
  return length;
}

/** Removes the whole words that both sides of an edit begin and end with. */
export function trimToWords(sides: Sides, edit: Edit): Edit {
  const inner = trimCommon(sides, edit);
  let [front, back] = [inner.oldStart - edit.oldStart, edit.oldEnd - inner.oldEnd];
  const cuts = (oldAt: number, newAt: number) => cutsWord(sides.old.tokens, oldAt) || cutsWord(sides.new.tokens, newAt);
  while (front > 0 && cuts(edit.oldStart + front, edit.newStart + front)) front -= 1;
  while (back > 0 && cuts(edit.oldEnd - back, edit.newEnd - back)) back -= 1;
  return { oldStart: edit.oldStart + front, newStart: edit.newStart + front, oldEnd: edit.oldEnd - back, newEnd: edit.newEnd - back };
}
