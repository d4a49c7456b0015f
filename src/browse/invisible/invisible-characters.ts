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
  [0x2800, 'blank Braille pattern'],
  [0x3000, 'ideographic space'],
  [0xfe0e, 'text variation selector'],
  [0xfe0f, 'emoji variation selector'],
  [0xfeff, 'zero-width no-break space'],
  [0xfffc, 'object replacement character'],
]);

/** Cyrillic and Greek letters that can be confused with a Latin letter, and that letter. */
const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  [
    ['\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u04cf\u0501\u051b\u051d', 'a e o p c y x i j s h l d q w'],
    ['\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u04c0', 'A B E K M H O P C T Y X I J S I'],
    ['\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd', 'A B E Z H I K M N O P T Y X o v'],
  ].flatMap(([others = '', latin = '']) => Array.from(others, (letter, index) => [letter, latin.charAt(2 * index)] as const)),
);

/** Other scripts with many letters that can be confused with Latin letters. In a word of Latin letters, each is named. */
const ALIKE_SCRIPTS = '\\p{sc=Armenian}\\p{sc=Cherokee}\\p{sc=Coptic}\\p{sc=Lisu}';
const CONFUSABLE = new RegExp(`[${[...CONFUSABLES.keys()].join('')}${ALIKE_SCRIPTS}]`, 'u');
const ALL_CONFUSABLES = new RegExp(CONFUSABLE, 'gu');

/** Matches the characters that join the parts of an emoji. They are visible as the emoji. */
const EMOJI_JOINTS =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|[#*0-9]|\ufe0f)(?:\u200d|\ufe0f)|(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]/gu;
const SPACE = /\p{White_Space}/gu;
/** Matches characters that look like their compatibility form. Others, such as `²`, `½` and `™`, do not look like `2`, `1/2` and `TM`. */
const ALIKE = /[^\p{No}\p{So}\p{Lm}ªº]+/gu;
const ACCENTED = /\p{L}\p{M}+/gu;
/** Matches characters without a width, and some that fonts draw as nothing. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/gu;
/** Matches an invisible character, or a space that is not in ASCII. */
const INVISIBLE_OR_SPACE = new RegExp(`(?![\\t-\\r ])(?:${INVISIBLE.source}|\\p{White_Space})`, 'u');

/** The number of characters that a note names. */
const MAX_NAMED = 4;

/** What differs between two texts. */
export interface TextDifference {
  readonly removed: string;
  readonly added: string;
  /** Both texts. If the difference is seen at once, a text without words in letters of two scripts may be ''. */
  readonly before: string;
  readonly after: string;
  /** Whether the end of one of the texts is a part of the difference. */
  readonly isAtEnd: boolean;
}

/** Names differences that no eye sees, with their code points: `zero-width space U+200B added`. */
export function invisibleCharacters({ removed, added, before, after, isAtEnd }: TextDifference): readonly string[] {
  // a word that moved is seen
  if (removed === added && (removed === '' || visible(removed) !== '')) return [];
  // a letter that stays can get into another word
  const changed = CONFUSABLE.test(removed + added) ? surplus(removed, added) : new Map<string, number>();
  const differs = (letter: string, count: number) => count !== 0 && Math.sign(count) === Math.sign(changed.get(letter) ?? 0);
  if (visible(removed) !== visible(added)) {
    const lookAlike = CONFUSABLE.test(removed + added) ? named(lookAlikesIn(before), lookAlikesIn(after), differs) : [];
    if (!(INVISIBLE_OR_SPACE.test(removed) || INVISIBLE_OR_SPACE.test(added))) return lookAlike;
    const [one, other] = [removed.replace(EMOJI_JOINTS, ''), added.replace(EMOJI_JOINTS, '')];
    return [...named(one, other, (character, count) => count !== 0 && INVISIBLE_OR_SPACE.test(character)), ...lookAlike];
  }
  // a letter without its accent can look like another
  const [one, other] = [removed, added].map((text) => text.replace(ACCENTED, (letter) => letter.normalize('NFC')));
  const notes = named(one, other, (character, count) => count !== 0 && nameOf(character) !== undefined);
  if (notes.length > 0 && isAtEnd && (removed + added).trim() === '') return notes.map((note) => `${note} at the end`);
  const isMoved = notes.length === 0 && visible(before) === visible(after) && (removed === added || composed(removed) !== composed(added));
  const moved = isMoved ? named(removed, added, (character) => nameOf(character) !== undefined) : [];
  const letters = lettersNotes(withoutSpaces(removed), withoutSpaces(added));
  return [...notes, ...moved, ...letters].map((note, _, all) => (note === CASE && all.length === 1 ? `only ${note}` : note));
}

const CASE = 'upper and lower case';

/** Names the differences of texts whose letters look alike, other than letters of another script. */
function lettersNotes(one: string, other: string): readonly string[] {
  const differ = (form: (text: string) => string) => form(one) !== form(other);
  const hasCase = differ((text) => latin(text.normalize('NFKC')));
  const hasForms = differ((text) => latin(text).toLowerCase()) || (!hasCase && differ(latin));
  const isCanonical = !differ((text) => latin(text.normalize('NFC')).toLowerCase());
  const [from, to] = hasCase ? [one.toLowerCase(), other.toLowerCase()] : [one, other];
  const forms = `${isCanonical ? 'normalization' : 'characters in another form'}: ${otherForms(from, to)} became ${otherForms(to, from)}`;
  return [...(hasForms ? [forms] : []), ...(hasCase ? [CASE] : [])];
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

/** Whether readers can take two texts for the same one. */
export function lookAlike(one: string, other: string): boolean {
  return one !== other && visible(one) === visible(other);
}

/** Returns what a reader sees of a text: the same for letters that look alike, in upper or lower case. */
function visible(text: string): string {
  return isAscii(text) ? text.replace(/\s+/g, '').toLowerCase() : composed(withoutSpaces(text));
}

function withoutSpaces(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPACE, '');
}

function composed(text: string): string {
  return latin(text.normalize('NFC').replace(ALIKE, (part) => part.normalize('NFKC'))).toLowerCase();
}

/** Replaces letters that can be confused with a Latin letter by that letter. */
function latin(text: string): string {
  return text.replace(ALL_CONFUSABLES, (letter) => CONFUSABLES.get(letter) ?? letter);
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
  if (CONFUSABLE.test(character)) return 'letter of another script';
  const isInvisible = character.replace(INVISIBLE, '') === '';
  const other = isInvisible ? 'invisible character' : character.trim() === '' ? 'space' : undefined;
  return NAMES.get(character.codePointAt(0) ?? 0) ?? other;
}

/** Names characters of two texts. A line break has no code point: HTML shows each form of it in the same way. @param isNamed gets a character, and how many more of it the second text has */
function named(removed = '', added = '', isNamed: (character: string, count: number) => boolean): readonly string[] {
  const notes = [...surplus(removed, added)].filter(([one, count]) => isNamed(one, count));
  const shown = notes
    .slice(0, MAX_NAMED)
    .map(
      ([one, count]) =>
        `${nameOf(one)}${one === '\n' ? '' : ` ${codePoints(one)}`} ${count === 0 ? 'moved' : count > 0 ? 'added' : 'removed'}`,
    );
  return notes.length > MAX_NAMED ? [...shown, `${notes.length - MAX_NAMED} more`] : shown;
}

/** Returns how many more of each character the second text has. */
function surplus(removed: Iterable<string>, added: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of removed) counts.set(one, (counts.get(one) ?? 0) - 1);
  for (const one of added) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Returns the code points of the characters of which another text has fewer; those of the text if they only have another order. */
function otherForms(text: string, other: string): string {
  const more = [...surplus(charactersOf(other), charactersOf(text))].filter(([, count]) => count > 0);
  return codePoints(more.map(([one, count]) => one.repeat(count)).join('') || text);
}

/** Divides a text into characters as readers see them: a letter and its accents are one. */
function charactersOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
}

/** Returns the first code points of a text. */
function codePoints(text: string): string {
  const all = Array.from(text, (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return all.length > MAX_NAMED ? `${all.slice(0, MAX_NAMED).join(' ')}\u2026` : all.join(' ');
}
