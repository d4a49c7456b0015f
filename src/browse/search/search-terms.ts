/**
 * The rules of the search by name. The build of the search index and the script in the browser use this source, so that
 * both find the same accounts. It imports nothing.
 */

/** An account as the search index lists it. */
export interface SearchEntry {
  readonly handle: string;
  /** Where the page of the account is, see `searchEntry`. */
  readonly place: string;
  /** The display name, cut to the part that the index contains. */
  readonly name: string;
  /** Accounts with a larger rank come first among those with the same match, see `rankOf`. */
  readonly rank: number;
  readonly formerHandles: readonly string[];
}

/** An account as a file of the search index lists it. */
export type IndexEntry = readonly [handle: string, place: string, name: string, rank: number, ...formerHandles: string[]];

/** How an account was found. A smaller number comes first in a list of results. */
export const MATCH = { exact: 0, handle: 1, former: 2, name: 3 } as const;

export type Match = (typeof MATCH)[keyof typeof MATCH];

/** The number of accounts that a search shows. */
export const BEST = 20;
/**
 * The largest number of bytes that the starts of two ranges have in common: Windows limits a path to 260 characters. If too many
 * accounts have longer terms with the same first bytes, their range has a longer start, and its file has only the best of them.
 */
export const LONGEST_PREFIX = 60;
/** The number of words of a display name at which a search can begin. */
const WORDS = 8;

const WORD = /[\p{L}\p{N}\p{M}\p{So}]+/gu;
// a Chinese character or an emoji can begin a word, because there are no spaces before it
const WORD_START = /(?<= |^)[^ ]|\p{sc=Han}|\p{So}/gu;
const ASCII = /^[\u0020-\u007e]*$/;
// what the patterns above match in ASCII; a browser compiles these sooner
const ASCII_WORD = /[a-z0-9]+/g;
const ASCII_WORD_START = /(?<= |^)[^ ]/g;

/**
 * Returns a text in the form in which names are compared: without case, diacritics and punctuation, its words separated by
 * single spaces. A text that ends with a word ends there; {@link handleTerm} and {@link nameTerms} add a space as the end.
 */
export function folded(text: string): string {
  const isAscii = ASCII.test(text);
  const plain = isAscii ? text.toLowerCase() : unaccented(text);
  const words = plain.match(isAscii ? ASCII_WORD : WORD);
  if (words === null) return plain.replace(/\s+/g, '');
  return words.join(' ') + (plain.endsWith(words.at(-1) ?? '') ? '' : ' ');
}

/** Returns a text in lower case, without diacritics, and with compatibility characters replaced by plain ones. */
function unaccented(text: string): string {
  const plain = text
    .toWellFormed()
    .normalize('NFKD')
    .replace(/(?=\p{Mn})[\p{sc=Zinh}\p{sc=Hebr}]|\p{Cf}/gu, '');
  // upper case first: it turns ß into SS
  return plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Returns the term that finds an account by a handle. A term ends with a space, so that "nina " finds the word and not its continuation. */
export function handleTerm(handle: string): string {
  return `${folded(handle).trimEnd()} `;
}

/** Returns the terms that find an account by its display name: the name from each of its words on. */
export function nameTerms(name: string): string[] {
  const text = handleTerm(name);
  const terms: string[] = [];
  for (const { index } of text.matchAll(ASCII.test(text) ? ASCII_WORD_START : WORD_START)) {
    if (terms.length < WORDS) terms.push(text.slice(index));
  }
  return terms;
}

/** A text that finds an account, in the form of {@link folded}. */
export interface Term {
  readonly text: string;
  readonly match: Match;
}

/** Returns the terms of an account, best matches first. */
export function termsOf({ handle, name, formerHandles }: Omit<SearchEntry, 'place' | 'rank'>): Term[] {
  return [
    { text: handleTerm(handle), match: MATCH.handle },
    ...formerHandles.map((former) => ({ text: handleTerm(former), match: MATCH.former })),
    ...nameTerms(name).map((text) => ({ text, match: MATCH.name })),
  ];
}

/** Returns how a folded query finds an account by its terms; undefined if it does not. */
export function matchOf(query: string, terms: readonly Term[]): Match | undefined {
  const best = terms.find(({ text }) => text.startsWith(query));
  return best && matchBy(best, query);
}

/** Returns how a term finds an account. @param query a text with which the term begins */
export function matchBy({ text, match }: Term, query: string): Match {
  return match === MATCH.handle && (text === query || text === `${query} `) ? MATCH.exact : match;
}

/** Compares two accounts that a query found: by match, then by rank, then by handle. */
export function compareFound(a: Found, b: Found): number {
  return a.match - b.match || b.entry.rank - a.entry.rank || (a.entry.handle < b.entry.handle ? -1 : 1);
}

interface Found {
  readonly match: Match;
  readonly entry: Pick<SearchEntry, 'handle' | 'rank'>;
}

/** The path of the file with the accounts whose names are newer than those of the search index. */
export const NEWER_NAMES = 'browse/assets/newer-names.js';

/** Returns the path of a file of the search index. */
export function searchPath(name: string): string {
  return `browse/search/${name}.js`;
}

/** Returns the bytes of a text in hexadecimal digits. They sort as the text does in UTF-8. */
export function hex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
