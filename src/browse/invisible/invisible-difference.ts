import { type ByteText, byteText, escapeText, type Markup, markup, plainText, textOfMarkup } from '../markup.ts';
import type { DiffMarkup } from '../parse-diff-html.ts';
import { invisibleCharacters, lookAlike } from './invisible-characters.ts';

/** Matches the first bytes of all letters that can be confused with a Latin letter, and of some others. */
const MAYBE_CONFUSABLE = /[\u00ce-\u00d6]|\u00e1[\u008e\u008f]|\u00e2[\u00b2\u00b3]|\u00ea[\u0093\u00ad\u00ae]/;
/** Matches the first bytes of all characters that are invisible, or a space that is not in ASCII, and of some others. */
const MAYBE_INVISIBLE =
  /[\u00e1\u00ef]|\u00c2[\u0085\u00a0\u00ad]|\u00cd\u008f|\u00d8\u009c|\u00e2[\u0080\u0081]|\u00e2\u00a0\u0080|\u00e3[\u0080\u0085]|\u00f0[\u009b\u009d]|\u00f3\u00a0/;
/** Matches the bytes of a Latin letter beside a letter that can be confused with one, and of some others. */
const MAYBE_MIXED = new RegExp(
  `(?:[A-Za-z]|[\\u00c3-\\u00c9][\\u0080-\\u00bf])(?:${MAYBE_CONFUSABLE.source})|(?:${MAYBE_CONFUSABLE.source})[\\u0080-\\u00bf]{1,2}[A-Za-z\\u00c3-\\u00c9]`,
);

/** Names invisible differences, with their code points: `zero-width space U+200B added`. */
export function invisibleDifference(diff: Omit<DiffMarkup, 'inline'>): readonly string[] {
  const { before, after } = diff;
  const [old, current] = [textOfMarkup(diff.removed), textOfMarkup(diff.added)];
  if (old + current === '') return NONE;
  // most differences are seen at once, and have no such character
  const isSeen = isSeenAtOnce(old, current, 1) || isSeenAtOnce(old, current, -1);
  const mayBeInvisible = MAYBE_INVISIBLE.test(old) || MAYBE_INVISIBLE.test(current);
  const mayLookAlike = (MAYBE_CONFUSABLE.test(old) || MAYBE_CONFUSABLE.test(current)) && (mayBeMixed(before) || mayBeMixed(after));
  if (isSeen && !mayBeInvisible && !mayLookAlike) return NONE;
  const whole = (html: Markup) => (!isSeen || (mayLookAlike && mayBeMixed(html)) ? plainText(textOfMarkup(html)) : '');
  const isAtEnd = before.endsWith('</del>') || after.endsWith('</ins>');
  return invisibleCharacters({ removed: plainText(old), added: plainText(current), before: whole(before), after: whole(after), isAtEnd });
}

/** Names the invisible characters of a first value, and those that look like others: `contains zero-width space U+200B`. */
export function invisibleContents(value: Markup): readonly string[] {
  const notes = invisibleDifference({ before: markup``, after: value, removed: markup``, added: value });
  return notes.map((note, index) => `${index === 0 ? 'contains ' : ''}${note.replace(/ added$/, '')}`);
}

/** Returns a note for a value of a profile, which follows it; '' if the value needs none. */
export function contentsNote(value: ByteText): Markup | '' {
  return noteMarkup(invisibleContents(escapeText(value)));
}

/** Returns a note for a value in a table; '' if it needs none. It can look like one of the values above it, which has no note. */
export function valueNote(value: ByteText, above: readonly ByteText[]): Markup | '' {
  const contents = contentsNote(value);
  // most values differ in ASCII
  const alike = above.filter((other) => !isSeenAtOnce(other, value, 1) && lookAlike(plainText(other), plainText(value)));
  const like = contents === '' ? alike.find((other) => contentsNote(other) === '') : undefined;
  if (like === undefined) return contents;
  const [removed, added] = [plainText(like), plainText(value)];
  const [first = '', ...others] = invisibleCharacters({ removed, added, before: removed, after: added, isAtEnd: false });
  return noteMarkup([`unlike the value above: ${first}`, ...others]);
}

function noteMarkup(notes: readonly string[]): Markup | '' {
  return notes.length === 0 ? '' : markup` <small class=note>${escapeText(byteText(notes.join(', ')))}</small>`;
}

const NONE: readonly string[] = [];

/**
 * Whether the first characters that differ are in ASCII. White space and letter case are no difference.
 * @param step -1 for the last characters that differ
 */
function isSeenAtOnce(one: ByteText, other: ByteText, step: 1 | -1): boolean {
  let [left, right] = step === 1 ? [0, 0] : [one.length - 1, other.length - 1];
  for (;;) {
    while (isSpace(one.charCodeAt(left))) left += step;
    while (isSpace(other.charCodeAt(right))) right += step;
    const [a, b] = [one.charCodeAt(left), other.charCodeAt(right)];
    if (Number.isNaN(a) && Number.isNaN(b)) return false;
    if (a !== b && lowerCase(a) !== lowerCase(b)) return !(a > 0x7f || b > 0x7f);
    left += step;
    right += step;
  }
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x9 && unit <= 0xd);
}

function lowerCase(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}

/** Whether a word can have Latin and other letters. Most texts with Cyrillic or Greek letters have no such word. */
function mayBeMixed(html: Markup): boolean {
  return MAYBE_MIXED.test(textOfMarkup(html));
}
