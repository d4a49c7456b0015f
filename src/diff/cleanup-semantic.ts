import { type Edit, type Sides, span } from './edits.ts';
import { weightOf, widthOf } from './weight.ts';

/** Merges two edits if the text between them means less to a reader than either edit. */
export function cleanupSemantic({ old, new: fresh }: Sides, edits: readonly Edit[]): Edit[] {
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
