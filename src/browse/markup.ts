import type { ChangeRecord } from '../contract/record.ts';
import { counted, number } from './numbers.ts';

/**
 * A text as the bytes of its UTF-8, with one character (U+0000 to U+00FF) for each byte. All texts in this module have
 * this form. Decoding UTF-8 and encoding it again would take longer than all other rendering, because the texts pass
 * through unchanged: only ASCII characters have a meaning in markup.
 */
export type ByteText = string;

/** Returns a text in the form of this module. Two texts of valid Unicode never become the same: paths are made from handles. */
export function byteText(text: string): ByteText {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1');
}

/** Returns the text that readers see. */
export function plainText(text: ByteText): string {
  return isAscii(text) ? text : Buffer.from(text, 'latin1').toString();
}

/** Returns the bytes of a text. */
export function encode(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1');
}

let shared = Buffer.alloc(0);

/** Returns the bytes of a file. All files share one buffer: the next file replaces the bytes of this one. */
export function encodeFile(text: Markup): Buffer {
  if (shared.length < text.length) shared = Buffer.allocUnsafeSlow(2 * text.length);
  return shared.subarray(0, shared.write(text, 'latin1'));
}

/** Parses the JSON of records that are separated by commas. Their texts become byte texts. */
export function parseRecords(json: Buffer): readonly ChangeRecord[] {
  return json.length === 0 ? [] : parseByteJson(`[${json.toString('latin1')}]`);
}

/** Parses JSON that the store contains. Its strings become byte texts. @param json the bytes of the JSON as characters */
export function parseByteJson(json: ByteText): ReturnType<typeof JSON.parse> {
  // an escape can stand for a character that is not one byte
  if (!json.includes('\\u')) return JSON.parse(json);
  return JSON.parse(encode(json).toString(), (_, value: unknown) => (typeof value === 'string' ? byteText(value) : value));
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** A byte text that can be a part of HTML or XML: this program wrote it, or it is escaped. */
export type Markup = ByteText & { readonly [MARKUP]: true };

declare const MARKUP: unique symbol;

/** A text that is not wholly known when the program is compiled must be markup: it would be a key that may be absent. */
type Safe<T> = T extends string ? (Record<never, never> extends Record<T, true> ? Markup : T) : T;

/** A template of markup. A text that was not escaped does not compile in it. */
export function markup<const T extends readonly (string | number)[]>(
  texts: TemplateStringsArray,
  ...parts: T & { readonly [K in keyof T]: Safe<T[K]> }
): Markup {
  let whole = texts[0] ?? '';
  for (let at = 0; at < parts.length; at += 1) whole += `${parts[at]}${texts[at + 1]}`;
  return trusted(whole);
}

/** Returns a text as markup. No reader of the code can see why it is safe but at the call: the text must need no escape. */
export function trusted(text: ByteText): Markup {
  return text as Markup;
}

/** Joins markup. */
export function joined(parts: readonly (Markup | '')[], separator: '' | ' ' | '\n' = ''): Markup {
  if (separator !== '') return trusted(parts.join(separator));
  // without a copy of the parts
  let whole = '';
  for (const part of parts) whole += part;
  return trusted(whole);
}

/**
 * Escapes a text for the content of an element and for an attribute value in double quotes. Characters that HTML and XML forbid
 * become U+FFFD.
 */
export function escapeText(text: ByteText): Markup {
  if (!SPECIAL.test(text)) return trusted(text);
  return trusted(allowedText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'));
}

/** Matches each text that {@link escapeText} changes, and some others. One search is faster than two, and most texts have none of these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const SPECIAL = /[&<>"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00c2\u00ef]/;

/** Returns a text whose characters that HTML and XML forbid are U+FFFD. */
export function allowedText(text: ByteText): ByteText {
  return FORBIDDEN.test(text) ? text.replace(ALL_FORBIDDEN, REPLACEMENT) : text;
}

/** Matches the UTF-8 of U+0000 to U+001F, except tab and line breaks, of U+007F to U+009F, and of U+FFFE and U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\u00c2[\u0080-\u009f]|\u00ef\u00bf[\u00be\u00bf]/;
const ALL_FORBIDDEN = new RegExp(FORBIDDEN, 'g');
const REPLACEMENT = byteText('\ufffd');

/** Returns the text of markup; the five entities stay. */
export function textOfMarkup(html: Markup): ByteText {
  return html.includes('<') ? html.replace(/<[^>]*>/g, '') : html;
}

/** Returns a value, or the word `empty` in place of an empty one. The script recognizes an empty value by this `i`: no other `i` of a value has a text. */
export function orEmpty(value: Markup): Markup {
  return value === '' ? markup`<i>empty</i>` : value;
}

/** Returns a number with commas. */
export function numberMarkup(value: number): Markup {
  return trusted(number(value));
}

/** What happened in a period. A first value is what a field said when it was first seen: nobody changed it then. */
export interface RecordCounts {
  readonly changes: number;
  readonly renames: number;
  readonly first_values: number;
}

/** Returns a number of changes with its noun. */
export function changesMarkup(changes: number): Markup {
  return trusted(counted(changes, 'change'));
}

/** Returns numbers with their nouns: `3 changes, 1 rename and 5 first values`. */
export function countsMarkup({ changes, renames, first_values }: RecordCounts): Markup {
  const others = [
    [renames, 'rename'],
    [first_values, 'first value'],
  ] as const;
  const parts = [counted(changes, 'change'), ...others.flatMap(([value, noun]) => (value === 0 ? [] : [counted(value, noun)]))];
  return trusted(parts.join(', ').replace(/, (?=[\d,]+ [a-z ]+$)/, ' and '));
}
