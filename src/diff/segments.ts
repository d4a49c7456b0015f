import { type Edit, sidesOf } from './edits.ts';
import type { MentionForm } from './entities.ts';
import { readableEdits } from './semantic-cleanup.ts';
import { chunksOf, type Token, tokensOf, withPlainBreaks } from './tokens.ts';

/** A part of a change: text that both versions have, only the old one, or only the new one. */
export interface Segment {
  readonly kind: 'kept' | 'removed' | 'added';
  /** The text without markup; line breaks are `\n`. */
  readonly text: string;
}

export interface TokenSegment {
  readonly kind: Segment['kind'];
  readonly tokens: readonly Token[];
}

/**
 * The greatest length of both texts together, in UTF-16 units. Longer texts do not occur in profiles. They are
 * shown one after the other, because the segmenter is slow.
 */
const LONGEST = 6_000;

/**
 * Returns a change as segments in reading order. In a replacement, removed text precedes added text. Two
 * adjacent segments differ in kind.
 * Kept and removed segments form the old text; kept and added segments form the new text.
 */
export function segmentsOf(before: string, after: string): Segment[] {
  return tokenSegments(before, after, 'name').map(({ kind, tokens }) => ({ kind, text: tokens.map((token) => token.text).join('') }));
}

/** Returns the segments as tokens. In texts that are shown whole, a token is all text between two mentions or hashtags. */
export function tokenSegments(before: string, after: string, form: MentionForm): TokenSegment[] {
  const [old, fresh] = [withPlainBreaks(before), withPlainBreaks(after)];
  if (old === fresh) return whole('kept', fresh, form);
  if (old.length + fresh.length > LONGEST) return [...whole('removed', old, form), ...whole('added', fresh, form)];
  const sides = sidesOf(tokensOf(old, form), tokensOf(fresh, form));
  return segments(sides.old.tokens, sides.new.tokens, readableEdits(sides));
}

/** Returns a text as one segment; no segment for an empty text. */
export function whole(kind: Segment['kind'], text: string, form: MentionForm): TokenSegment[] {
  return text === '' ? [] : [{ kind, tokens: [...chunksOf(withPlainBreaks(text), form)] }];
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
