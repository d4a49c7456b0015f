import { type Edit, mergeAdjacent, type Sides, span, trimCommon } from './edits.ts';
import type { Token } from './tokens.ts';
import { cutsWord, isDigit, isInWord, isMidWord } from './words.ts';

/** A word with several edits in it, and less kept than those change, is another word. */
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

/** A word of so many letters is read at one glance, and never in parts. */
const SHORT_WORD = 4;

/** In a replacement, the scrap of a word that is kept beside it is replaced too, where it is no longer than what was. */
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
      // of a number, nothing is kept
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

/** How many tokens the scrap of a word has that begins at one and goes on in one direction, up to another. */
function fragmentLength(tokens: readonly Token[], from: number, step: -1 | 1, to: number): number {
  let length = 0;
  for (let at = from; (to - at) * step >= 0 && isInWord(tokens, at); at += step) length += 1;
  return length;
}

/** An edit without the whole words that both its sides begin and end with. */
export function trimToWords(sides: Sides, edit: Edit): Edit {
  const inner = trimCommon(sides, edit);
  let [front, back] = [inner.oldStart - edit.oldStart, edit.oldEnd - inner.oldEnd];
  const cuts = (oldAt: number, newAt: number) => cutsWord(sides.old.tokens, oldAt) || cutsWord(sides.new.tokens, newAt);
  while (front > 0 && cuts(edit.oldStart + front, edit.newStart + front)) front -= 1;
  while (back > 0 && cuts(edit.oldEnd - back, edit.newEnd - back)) back -= 1;
  return { oldStart: edit.oldStart + front, newStart: edit.newStart + front, oldEnd: edit.oldEnd - back, newEnd: edit.newEnd - back };
}
