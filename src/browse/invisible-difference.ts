import { INVISIBLE } from '../contract/accounts/handle.ts';
import type { DiffMarkup } from './diff-segments.ts';
import { type ByteText, type Markup, plainText, textOfMarkup } from './markup.ts';

/** The names of characters that are invisible, or look like a space. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x9, 'tab'],
  [0xa, 'line break'],
  [0xd, 'carriage return'],
  [0x20, 'space'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x61c, 'Arabic letter mark'],
  [0x2002, 'en space'],
  [0x2003, 'em space'],
  [0x2009, 'thin space'],
  [0x200a, 'hair space'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'end of embedding or override'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x202f, 'narrow no-break space'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'end of isolate'],
  [0x3000, 'ideographic space'],
  [0xfe0e, 'text variation selector'],
  [0xfe0f, 'emoji variation selector'],
  [0xfeff, 'zero-width no-break space'],
]);

/** Cyrillic and Greek letters that can be confused with a Latin letter, and that letter. */
const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  [
    ['\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d', 'a e o p c y x i j s h d q w'],
    ['\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405', 'A B E K M H O P C T Y X I J S'],
    ['\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd', 'A B E Z H I K M N O P T Y X o v'],
  ].flatMap(([others = '', latin = '']) => Array.from(others, (letter, index) => [letter, latin.charAt(2 * index)] as const)),
);

const CONFUSABLE = new RegExp(`[${[...CONFUSABLES.keys()].join('')}]`, 'u');
const ALL_CONFUSABLES = new RegExp(CONFUSABLE, 'gu');

/** Matches the characters that join the parts of an emoji. They are visible as the emoji. */
const EMOJI_JOINTS =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|[#*0-9]|\ufe0f)(?:\u200d|\ufe0f)|(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]/gu;
const SPACE = /\p{White_Space}/gu;
/** Matches the first bytes of all characters that {@link CONFUSABLE} matches, and of some others. */
const MAYBE_CONFUSABLE = /[\u00ce\u00d0-\u00d2\u00d4]/;
/** Matches the first bytes of all characters that {@link INVISIBLE_OR_SPACE} matches, and of some others. */
const MAYBE_INVISIBLE =
  /[\u00e1\u00ef]|\u00c2[\u0085\u00a0\u00ad]|\u00cd\u008f|\u00d8\u009c|\u00e2\u0080|\u00e2\u0081|\u00e3[\u0080\u0085]|\u00f0[\u009b\u009d]|\u00f3\u00a0/;
/** Matches the bytes of a Latin letter beside a letter that {@link CONFUSABLE} matches, and of some others. */
const MAYBE_MIXED =
  /(?:[A-Za-z]|[\u00c3-\u00c9][\u0080-\u00bf])[\u00ce\u00d0-\u00d2\u00d4]|[\u00ce\u00d0-\u00d2\u00d4][\u0080-\u00bf][A-Za-z\u00c3-\u00c9]/;
/** Matches an invisible character, or a space that is not in ASCII. */
const INVISIBLE_OR_SPACE = /(?![\t-\r ])[\p{Default_Ignorable_Code_Point}\p{White_Space}]/u;

/** The number of characters that a note names. */
const MOST = 4;

/** Names invisible differences, with their code points: `zero-width space U+200B added`. */
export function invisibleDifference(diff: Omit<DiffMarkup, 'inline'>): readonly string[] {
  const { before, after } = diff;
  const [old, current] = [textOfMarkup(diff.removed), textOfMarkup(diff.added)];
  if (old === current) return NONE;
  // most differences are seen at once, and have no such character
  const isSeen = isSeenAtOnce(old, current, 1) || isSeenAtOnce(old, current, -1);
  const mayBeInvisible = MAYBE_INVISIBLE.test(old) || MAYBE_INVISIBLE.test(current);
  const mayLookAlike = (MAYBE_CONFUSABLE.test(old) || MAYBE_CONFUSABLE.test(current)) && (mayBeMixed(before) || mayBeMixed(after));
  if (isSeen && !mayBeInvisible && !mayLookAlike) return NONE;
  const [removed, added] = [plainText(old), plainText(current)];
  if (isSeen || visible(removed) !== visible(added)) {
    const hasConfusable = mayLookAlike && CONFUSABLE.test(removed + added);
    const lookAlike = hasConfusable ? named(lookAlikesIn(before), lookAlikesIn(after), () => true) : NONE;
    if (!mayBeInvisible || !(INVISIBLE_OR_SPACE.test(removed) || INVISIBLE_OR_SPACE.test(added))) return lookAlike;
    const [one, other] = [removed.replace(EMOJI_JOINTS, ''), added.replace(EMOJI_JOINTS, '')];
    return [...named(one, other, (character) => INVISIBLE_OR_SPACE.test(character)), ...lookAlike];
  }
  const notes = named(removed, added, (one) => nameOf(one) !== undefined);
  if (notes.length > 0) {
    const isAtEnd = (removed + added).trim() === '' && (before.endsWith('</del>') || after.endsWith('</ins>'));
    return isAtEnd ? notes.map((note) => `${note} at the end`) : notes;
  }
  if (removed.normalize('NFC') === added.normalize('NFC')) return [`normalization: ${codePoints(removed)} became ${codePoints(added)}`];
  return removed.toLowerCase() === added.toLowerCase() ? ['only upper and lower case'] : [];
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

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

/** Returns what a reader sees of a text: the same for letters that look alike, in upper or lower case. */
function visible(text: string): string {
  if (isAscii(text)) return text.replace(/\s+/g, '').toLowerCase();
  const seen = INVISIBLE_OR_SPACE.test(text) ? text.replace(INVISIBLE, '') : text;
  return seen
    .replace(SPACE, '')
    .replace(ALL_CONFUSABLES, (letter) => CONFUSABLES.get(letter) ?? letter)
    .normalize('NFC')
    .toLowerCase();
}

/** Whether a word can have Latin and other letters. Most texts with Cyrillic or Greek letters have no such word. */
function mayBeMixed(html: Markup): boolean {
  return MAYBE_MIXED.test(textOfMarkup(html));
}

/** Returns the letters of markup that can be confused with a Latin letter, in words whose other letters are Latin. */
function lookAlikesIn(html: Markup): string {
  if (!mayBeMixed(html)) return '';
  const words = plainText(textOfMarkup(html)).match(/\p{L}+/gu) ?? [];
  const mixed = words.filter((word) => CONFUSABLE.test(word) && /^\p{Script=Latin}+$/u.test(word.replace(ALL_CONFUSABLES, '')));
  return mixed.join('').replace(/\p{Script=Latin}/gu, '');
}

/** Returns the name of a character that is invisible, or can be confused with another; undefined for other characters. */
function nameOf(character: string): string | undefined {
  const latin = CONFUSABLES.get(character);
  if (latin !== undefined) return `${/\p{Script=Greek}/u.test(character) ? 'Greek' : 'Cyrillic'} letter like ${latin}`;
  const isInvisible = character.replace(INVISIBLE, '') === '';
  const other = isInvisible ? 'invisible character' : character.trim() === '' ? 'space' : undefined;
  return NAMES.get(character.codePointAt(0) ?? 0) ?? other;
}

/** Names the characters of which one text has more than the other. */
function named(removed: string, added: string, isNamed: (character: string) => boolean): readonly string[] {
  const counts = new Map<string, number>();
  for (const one of removed) counts.set(one, (counts.get(one) ?? 0) - 1);
  for (const one of added) counts.set(one, (counts.get(one) ?? 0) + 1);
  const notes = [...counts].filter(([one, count]) => count !== 0 && isNamed(one));
  const shown = notes.slice(0, MOST).map(([one, count]) => `${nameOf(one)} ${codePoints(one)} ${count > 0 ? 'added' : 'removed'}`);
  return notes.length > MOST ? [...shown, `${notes.length - MOST} more`] : shown;
}

/** Returns the code points of the first characters that are not ASCII; of all if all are. */
function codePoints(text: string): string {
  const characters = text.length > 1 ? Array.from(text).filter((one) => !isAscii(one)) : [text];
  const shown = characters.slice(0, MOST).map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return shown.join(' ');
}
