/** The build and the script in the browser use this source. It imports nothing. */

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
/** Matches characters without a width. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Matches an invisible character, or a space that is not in ASCII. */
const INVISIBLE_OR_SPACE = /(?![\t-\r ])[\p{Default_Ignorable_Code_Point}\p{White_Space}]/u;

/** The number of characters that a note names. */
const MOST = 4;

/** What differs between two texts. */
export interface TextDifference {
  readonly removed: string;
  readonly added: string;
  /** Both texts. A text may be '' if none of its words has letters of two scripts. */
  readonly before: string;
  readonly after: string;
  /** Whether the end of one of the texts is a part of the difference. */
  readonly isAtEnd: boolean;
}

/** Names invisible differences, with their code points: `zero-width space U+200B added`. */
export function invisibleCharacters({ removed, added, before, after, isAtEnd }: TextDifference): readonly string[] {
  if (removed === added) return [];
  if (visible(removed) !== visible(added)) {
    const lookAlike = CONFUSABLE.test(removed + added) ? named(lookAlikesIn(before), lookAlikesIn(after), () => true) : [];
    if (!(INVISIBLE_OR_SPACE.test(removed) || INVISIBLE_OR_SPACE.test(added))) return lookAlike;
    const [one, other] = [removed.replace(EMOJI_JOINTS, ''), added.replace(EMOJI_JOINTS, '')];
    return [...named(one, other, (character) => INVISIBLE_OR_SPACE.test(character)), ...lookAlike];
  }
  const notes = named(removed, added, (one) => nameOf(one) !== undefined);
  if (notes.length > 0) return isAtEnd && (removed + added).trim() === '' ? notes.map((note) => `${note} at the end`) : notes;
  if (removed.normalize('NFC') === added.normalize('NFC'))
    return [`normalization: ${otherForms(removed, added)} became ${otherForms(added, removed)}`];
  return removed.toLowerCase() === added.toLowerCase() ? ['only upper and lower case'] : [];
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

/** Returns the letters of a text that can be confused with a Latin letter, in words whose other letters are Latin. */
function lookAlikesIn(text: string): string {
  const words = text.match(/\p{L}+/gu) ?? [];
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

/** Returns the code points of the characters that another text has in another form. */
function otherForms(text: string, other: string): string {
  const [own, others] = [charactersOf(text), charactersOf(other)];
  return codePoints(own.filter((one, index) => one !== others[index]).join(''));
}

/** Divides a text into characters as readers see them: a letter and its accents are one. */
function charactersOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
}

/** Returns the first code points of a text. */
function codePoints(text: string): string {
  const shown = Array.from(text).slice(0, MOST);
  return shown.map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ');
}
