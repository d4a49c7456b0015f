import { type Edit, sidesOf } from './edits.ts';
import { readableEdits } from './readable.ts';
import { chunksOf, type Token, tokensOf, withPlainBreaks } from './tokens.ts';

/** A stretch of a change: what both texts have, what the old one alone has, what the new one alone has. */
export interface Segment {
  readonly kind: 'kept' | 'removed' | 'added';
  /** The stretch itself, without markup; line breaks are `\n`. */
  readonly text: string;
}

/** A segment in tokens. */
export interface TokenSegment {
  readonly kind: Segment['kind'];
  readonly tokens: readonly Token[];
}

/** Two texts that are longer together, in UTF-16 units, are no profile's, and are shown one after the other: the segmenter takes its time. */
const LONGEST = 6_000;

/**
 * A change in segments, in the order in which they are read: of a replacement what was removed stands before
 * what was added, and no two of a kind stand side by side. Kept and removed make the old text, kept and added the new.
 */
export function segmentsOf(before: string, after: string): Segment[] {
  return tokenSegments(before, after).map(({ kind, tokens }) => ({ kind, text: tokens.map((token) => token.text).join('') }));
}

/** The same in tokens; where texts are shown whole, a token is all that stands between two mentions or hashtags. */
export function tokenSegments(before: string, after: string): TokenSegment[] {
  const [old, fresh] = [withPlainBreaks(before), withPlainBreaks(after)];
  if (old === fresh) return whole('kept', fresh);
  if (old === '' || fresh === '' || old.length + fresh.length > LONGEST) return [...whole('removed', old), ...whole('added', fresh)];
  const sides = sidesOf(tokensOf(old), tokensOf(fresh));
  return segments(sides.old.tokens, sides.new.tokens, readableEdits(sides));
}

/** A text as one segment; none of an empty text. */
export function whole(kind: Segment['kind'], text: string): TokenSegment[] {
  return text === '' ? [] : [{ kind, tokens: [...chunksOf(withPlainBreaks(text))] }];
}

function segments(old: readonly Token[], fresh: readonly Token[], edits: readonly Edit[]): TokenSegment[] {
  const result: TokenSegment[] = [];
  const add = (kind: Segment['kind'], tokens: readonly Token[]) => {
    if (tokens.length > 0) result.push({ kind, tokens });
  };
  let at = 0;
  for (const edit of edits) {
    add('kept', fresh.slice(at, edit.newStart));
    add('removed', old.slice(edit.oldStart, edit.oldEnd));
    add('added', fresh.slice(edit.newStart, edit.newEnd));
    at = edit.newEnd;
  }
  add('kept', fresh.slice(at));
  return result;
}
