import { diffArrays } from 'diff';
import type { Token } from './tokens.ts';
import { wordsOf } from './words.ts';

/** One of two texts that are compared. */
export interface Side {
  readonly tokens: readonly Token[];
  /** A number for each token, the same for the same token on both sides. */
  readonly ids: readonly number[];
}

export interface Sides {
  readonly old: Side;
  readonly new: Side;
}

/** What of the old tokens gives way to what of the new; either may be nothing. The tokens between two edits are the same on both sides. */
export interface Edit {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Work grows with the square of the edits; two texts with more are unlike, and shown one after the other. */
const MOST_EDITS = 1000;

/** Numbers the tokens of two texts, since numbers compare faster than texts. */
export function sidesOf(before: readonly Token[], after: readonly Token[]): Sides {
  const known = new Map<string, number>();
  const side = (tokens: readonly Token[]): Side => ({
    tokens,
    ids: tokens.map(({ text, entity }) => {
      // the same text may be a hashtag here and none there
      const key = entity === undefined ? text : `${entity.kind} ${text}`;
      const id = known.get(key) ?? known.size;
      known.set(key, id);
      return id;
    }),
  });
  return { old: side(before), new: side(after) };
}

/** The edit of everything. */
export function everything(sides: Sides): Edit {
  return { oldStart: 0, oldEnd: sides.old.tokens.length, newStart: 0, newEnd: sides.new.tokens.length };
}

/** The fewest edits that make the new side of an edit of the old; the edit itself where that would be too many. */
export function editsWithin(sides: Sides, edit: Edit): Edit[] {
  const all = trimmed(sides, edit);
  const changes = diffArrays(sides.old.ids.slice(all.oldStart, all.oldEnd), sides.new.ids.slice(all.newStart, all.newEnd), {
    maxEditLength: MOST_EDITS,
  });
  if (changes === undefined) return [all];
  const edits: Edit[] = [];
  let [oldAt, newAt] = [all.oldStart, all.newStart];
  for (const { removed, added, count } of changes) {
    const part = { oldStart: oldAt, newStart: newAt, oldEnd: added ? oldAt : oldAt + count, newEnd: removed ? newAt : newAt + count };
    if (removed || added) edits.push(part);
    [oldAt, newAt] = [part.oldEnd, part.newEnd];
  }
  return joined(edits);
}

/** The same with the words of each side as what is compared. */
export function wordEdits(sides: Sides): Edit[] {
  const [oldWords, newWords] = [wordsOf(sides.old.tokens), wordsOf(sides.new.tokens)];
  const words = sidesOf(oldWords.words, newWords.words);
  return editsWithin(words, everything(words)).map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldWords.starts[oldStart] ?? 0,
    oldEnd: oldWords.starts[oldEnd] ?? 0,
    newStart: newWords.starts[newStart] ?? 0,
    newEnd: newWords.starts[newEnd] ?? 0,
  }));
}

/** An edit without what both its sides begin and end with. */
export function trimmed({ old, new: fresh }: Sides, edit: Edit): Edit {
  let { oldStart, oldEnd, newStart, newEnd } = edit;
  while (oldStart < oldEnd && newStart < newEnd && old.ids[oldStart] === fresh.ids[newStart]) {
    oldStart += 1;
    newStart += 1;
  }
  while (oldStart < oldEnd && newStart < newEnd && old.ids[oldEnd - 1] === fresh.ids[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  return { oldStart, oldEnd, newStart, newEnd };
}

/** Edits with those in one that touch, and without those that are none. */
export function joined(edits: readonly Edit[]): Edit[] {
  const result: Edit[] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    if (isEmpty(edit)) continue;
    if (last !== undefined && last.oldEnd >= edit.oldStart) result.splice(-1, 1, spanning(last, edit));
    else result.push(edit);
  }
  return result;
}

/** One edit of two, with what stands between them. */
export function spanning(first: Edit, last: Edit): Edit {
  return { oldStart: first.oldStart, newStart: first.newStart, oldEnd: last.oldEnd, newEnd: last.newEnd };
}

function isEmpty(edit: Edit): boolean {
  return edit.oldStart === edit.oldEnd && edit.newStart === edit.newEnd;
}
