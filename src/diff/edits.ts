import { diffArrays } from 'diff';
import type { Token } from './tokens.ts';
import { wordsOf } from './words.ts';

/** One of two texts that are compared. */
export interface Side {
  readonly tokens: readonly Token[];
  /** A number for each token. Equal tokens have the same number on both sides. */
  readonly ids: readonly number[];
}

export interface Sides {
  readonly old: Side;
  readonly new: Side;
}

/**
 * Replaces a range of old tokens by a range of new tokens; either may be empty. The tokens between two edits
 * are equal on both sides.
 */
export interface Edit {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The time grows with the square of the number of edits. Two texts with more edits are shown one after the other. */
const MAX_EDITS = 1000;

/** Numbers the tokens of two texts, because numbers compare faster than strings. */
export function sidesOf(before: readonly Token[], after: readonly Token[]): Sides {
  const known = new Map<string, number>();
  const side = (tokens: readonly Token[]): Side => ({
    tokens,
    // the text of a token identifies its kind: no grapheme or word looks like a mention or hashtag
    ids: tokens.map(({ text }) => {
      const id = known.get(text) ?? known.size;
      known.set(text, id);
      return id;
    }),
  });
  return { old: side(before), new: side(after) };
}

export function wholeEdit(sides: Sides): Edit {
  return { oldStart: 0, oldEnd: sides.old.tokens.length, newStart: 0, newEnd: sides.new.tokens.length };
}

/** Returns the fewest edits equivalent to one edit; the edit itself if there would be too many. */
export function editsWithin(sides: Sides, edit: Edit): Edit[] {
  const all = trimCommon(sides, edit);
  const changes = diffArrays(sides.old.ids.slice(all.oldStart, all.oldEnd), sides.new.ids.slice(all.newStart, all.newEnd), {
    maxEditLength: MAX_EDITS,
  });
  if (changes === undefined) return [all];
  const edits: Edit[] = [];
  let [oldAt, newAt] = [all.oldStart, all.newStart];
  for (const { removed, added, count } of changes) {
    const part = { oldStart: oldAt, newStart: newAt, oldEnd: added ? oldAt : oldAt + count, newEnd: removed ? newAt : newAt + count };
    if (removed || added) edits.push(part);
    [oldAt, newAt] = [part.oldEnd, part.newEnd];
  }
  return mergeAdjacent(edits);
}

/** Compares words instead of tokens. An edit is everything between two kept words, and it may be empty. */
export function wordEdits(sides: Sides): Edit[] {
  const [old, fresh] = [wordsOf(sides.old.tokens), wordsOf(sides.new.tokens)];
  const words = sidesOf(old.words, fresh.words);
  const edits: Edit[] = [];
  let [oldStart, newStart] = [0, 0];
  for (const [oldWord, newWord] of keptIn(words, editsWithin(words, wholeEdit(words)))) {
    edits.push({ oldStart, newStart, oldEnd: old.starts[oldWord] ?? 0, newEnd: fresh.starts[newWord] ?? 0 });
    [oldStart, newStart] = [old.ends[oldWord] ?? 0, fresh.ends[newWord] ?? 0];
  }
  return [...edits, { ...wholeEdit(sides), oldStart, newStart }];
}

/** Yields the old and new positions of each unchanged token. */
function* keptIn(sides: Sides, edits: readonly Edit[]): Generator<readonly [number, number]> {
  let [oldAt, newAt] = [0, 0];
  for (const { oldStart, oldEnd, newEnd } of edits) {
    for (; oldAt < oldStart; oldAt += 1, newAt += 1) yield [oldAt, newAt];
    [oldAt, newAt] = [oldEnd, newEnd];
  }
  for (; oldAt < sides.old.tokens.length; oldAt += 1, newAt += 1) yield [oldAt, newAt];
}

/** Removes the common start and end of both sides from an edit. */
export function trimCommon({ old, new: fresh }: Sides, edit: Edit): Edit {
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

export function mergeAdjacent(edits: readonly Edit[]): Edit[] {
  const result: Edit[] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    if (isEmpty(edit)) continue;
    if (last !== undefined && last.oldEnd >= edit.oldStart) result.splice(-1, 1, span(last, edit));
    else result.push(edit);
  }
  return result;
}

/** Joins two edits and what is between them into one edit. */
export function span(first: Edit, last: Edit): Edit {
  return { oldStart: first.oldStart, newStart: first.newStart, oldEnd: last.oldEnd, newEnd: last.newEnd };
}

function isEmpty(edit: Edit): boolean {
  return edit.oldStart === edit.oldEnd && edit.newStart === edit.newEnd;
}
