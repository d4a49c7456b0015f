import { createHash } from 'node:crypto';
import { encodeJson } from '../contract/json.ts';
import type { SearchedNames } from '../store/searched-names.ts';
import { sortedLines } from '../store/sorted-lines.ts';
import { type ByteText, byteText, exactByteText, plainText } from './byte-text.ts';
import { accountPlace } from './paths.ts';
import { handleTerm, MATCH, type Match, nameTerms, searchPath } from './search-terms.ts';
import { type ListedAccount, type Term, TopMatches } from './top-matches.ts';

/** A file of the search index: a classic script, because a page from `file://` can load nothing else. */
export interface SearchFile {
  readonly path: string;
  readonly text: ByteText;
}

/** The largest number of terms in a file, and their largest size in bytes. A prefix with more is split. */
const TERMS = 200;
const SIZE = 12_000;
/** A continuation of a prefix with at most this number of terms needs no file of its own. */
const FEW = 40;
/** Windows limits a path to 260 characters, and the name of a file has two for each byte. A longer prefix is not split. */
const LONGEST_PREFIX = 60;
/** The number of characters of a display name that can be found and that a result shows. */
const NAME_LENGTH = 60;

/**
 * Yields the files of the search index. There is a file for each prefix that many terms begin with, unless all of them have
 * the same next character. It contains the best accounts for this prefix, the continuations with a file of their own, and
 * all accounts that other continuations find. The same accounts give the same bytes. Memory stays flat.
 */
export function* searchFiles(accounts: Iterable<SearchedNames>): Generator<SearchFile> {
  yield* filesOf(new TermCursor(sortedLines(linesOf(accounts))), '', []);
}

/**
 * Returns a digest of everything that the search index shows. It takes a small part of the time of the index.
 * @returns the SHA-256 as hexadecimal digits
 */
export function searchDigest(accounts: Iterable<SearchedNames>): string {
  const hash = createHash('sha256');
  for (const { screen_name, display_name, former_handles, changes } of accounts) {
    hash.update(JSON.stringify([screen_name, display_name, rankOf(changes), ...former_handles.map(({ handle }) => handle)]));
  }
  return hash.digest('hex');
}

/**
 * Yields the files of a prefix and of its continuations.
 * @param above the best accounts of the shorter prefixes, shortest first
 * @returns the shortest prefix with a file: the prefix, or the continuation that all its terms begin with
 */
function* filesOf(terms: TermCursor, prefix: ByteText, above: readonly TopMatches[]): Generator<SearchFile, ByteText> {
  const rest = new Map<string, ListedAccount>();
  if (terms.fits(prefix, TERMS, SIZE)) {
    inline(terms, prefix, above, rest);
    yield fileOf(prefix, rest.size, [], [], rest.values());
    return prefix;
  }
  const best = new TopMatches(prefix);
  const open = [...above, best];
  const next: ByteText[] = [];
  const canSplit = prefix.length < LONGEST_PREFIX;
  let isComplete = canSplit;
  let [room, size] = [TERMS, SIZE];
  for (let term = terms.at(prefix); term !== undefined; term = terms.at(prefix)) {
    const longer = longerPrefix(term.text, prefix.length);
    if (!canSplit || term.text.length === prefix.length) {
      offer(terms.take(), open);
      isComplete = false;
    } else if (terms.fits(longer, Math.min(FEW, room), size)) {
      const taken = inline(terms, longer, open, rest);
      [room, size] = [room - taken.terms, size - taken.size];
    } else {
      next.push(yield* filesOf(terms, longer, open));
    }
  }
  above.at(-1)?.merge(best);
  const [only] = next;
  if (only !== undefined && next.length === 1 && rest.size === 0 && isComplete && prefix !== '') return only;
  yield fileOf(prefix, best.total, next, best.listed, rest.values());
  return prefix;
}

/** Returns the beginning of a text with one character more. @param length the length of the beginning, in bytes */
function longerPrefix(text: ByteText, length: number): ByteText {
  let end = length + 1;
  while (end < text.length && (text.charCodeAt(end) & 0xc0) === 0x80) end += 1;
  return text.slice(0, end);
}

/**
 * Yields a line for each term of each account: the text, the numbers, the JSON of the account, and the JSON of the former
 * handle if the term comes from one. Lines are byte texts: JavaScript sorts them faster.
 */
function* linesOf(accounts: Iterable<SearchedNames>): Generator<ByteText> {
  for (const { screen_name, display_name, former_handles, changes } of accounts) {
    const place = accountPlace(byteText(screen_name));
    const folder = place.name === screen_name ? place.folder : `${place.folder}${place.name}`;
    const name = cutName(display_name);
    const rank = rankOf(changes);
    const json = exactByteText(encodeJson([screen_name, folder, name, rank]).slice(1, -1));
    const terms: NamedTerm[] = [{ text: exactByteText(handleTerm(screen_name)), match: MATCH.handle, former: '' }];
    for (const { handle } of former_handles) {
      terms.push({ text: exactByteText(handleTerm(handle)), match: MATCH.former, former: exactByteText(encodeJson(handle)) });
    }
    for (const text of byteEndings(nameTerms(name))) terms.push({ text, match: MATCH.name, former: '' });
    let before = '';
    for (const { text, match, former } of terms.sort(compareTerms)) {
      const shared = before === '' ? -1 : sharedLength(before, text);
      before = text;
      // a joined string takes less memory than one that is made of pieces
      yield [text, `${match}${rank.toString(36)}${shared}`, json, former].join(SEPARATOR);
    }
  }
}

interface NamedTerm {
  readonly text: ByteText;
  readonly match: Match;
  /** The former handle that the term comes from, as JSON; '' if it comes from another name. */
  readonly former: ByteText;
}

/** Returns texts as byte texts. All of them are endings of the first one, so only this one is encoded. */
function byteEndings(texts: readonly string[]): ByteText[] {
  const [longest = ''] = texts;
  const bytes = exactByteText(longest);
  return texts.map((text) => bytes.slice(bytes.length - Buffer.byteLength(text)));
}

/** Between the fields of a line. The text of a term has no white space except single spaces, and JSON escapes tabs. */
const SEPARATOR = '\t';

function termOf(line: ByteText): Term {
  const numbers = line.indexOf(SEPARATOR) + 1;
  const account = line.indexOf(SEPARATOR, numbers) + 1;
  const end = line.indexOf(SEPARATOR, account);
  const [json, former] = [line.slice(account, end), line.slice(end + 1)];
  const text = line.slice(0, numbers - 1);
  const match = MATCHES[Number(line[numbers])] ?? MATCH.name;
  const rank = Number.parseInt(line.charAt(numbers + 1), 36);
  const shared = Number(line.slice(numbers + 2, account - 1));
  const listed = { handle: handleIn(json), rank, json, formerHandles: former === '' ? NONE : [former], size: json.length + former.length };
  return { text, match, shared, listed };
}

const NONE: readonly ByteText[] = [];
const MATCHES: readonly Match[] = [MATCH.exact, MATCH.handle, MATCH.former, MATCH.name];

/** Returns the handle at the beginning of the JSON of an account. */
function handleIn(json: ByteText): string {
  return json.includes('\\') ? JSON.parse(plainText(`[${json}]`))[0] : plainText(json.slice(1, json.indexOf('"', 1)));
}

/** Cuts a display name to the part that the index contains. */
export function cutName(name: string): string {
  return name.length <= NAME_LENGTH ? name : [...name].slice(0, NAME_LENGTH).join('').toWellFormed();
}

/**
 * Returns the rank of an account with a number of changes. It grows by one when the number is four times as large, so a
 * new change rarely changes a file of the index.
 */
export function rankOf(changes: number): number {
  return Math.ceil((32 - Math.clz32(changes)) / 2);
}

function compareTerms({ text: a }: NamedTerm, { text: b }: NamedTerm): number {
  return a < b ? -1 : Number(a > b);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Takes all terms with a prefix into the entries of a file. */
function inline(terms: TermCursor, prefix: string, open: readonly TopMatches[], rest: Map<string, ListedAccount>): Taken {
  const taken = { terms: 0, size: 0 };
  while (terms.at(prefix) !== undefined) {
    const term = terms.take();
    offer(term, open);
    taken.terms += 1;
    taken.size += term.listed.size;
    const { handle } = term.listed;
    rest.set(handle, joined(rest.get(handle), term.listed));
  }
  return taken;
}

interface Taken {
  readonly terms: number;
  readonly size: number;
}

/** @param open the best accounts of all prefixes that the term begins with, shortest first */
function offer(term: Term, open: readonly TopMatches[]): void {
  for (let index = open.length - 1; index >= 0; index -= 1) if (open[index]?.count(term) !== true) break;
  open.at(-1)?.offer(term);
}

/** An account can have several former handles. Only those that the terms of a file come from are in this file. */
function joined(known: ListedAccount | undefined, listed: ListedAccount): ListedAccount {
  if (known === undefined) return listed;
  return { ...known, formerHandles: [...new Set([...known.formerHandles, ...listed.formerHandles])] };
}

function fileOf(
  prefix: ByteText,
  total: number,
  next: readonly ByteText[],
  best: Iterable<ListedAccount>,
  rest: Iterable<ListedAccount>,
): SearchFile {
  const text = plainText(prefix);
  const names = exactByteText(encodeJson(text));
  const endings = exactByteText(encodeJson(next.map((longer) => plainText(longer).slice(text.length))));
  return { path: searchPath(text), text: `palimpsest([${names},${total},${endings},[${arrays(best)}],[${arrays(rest)}]])\n` };
}

function arrays(accounts: Iterable<ListedAccount>): ByteText {
  return Array.from(accounts, ({ json, formerHandles }) => `[${[json, ...formerHandles].join(',')}]`).join(',');
}

/** Reads sorted terms, and looks ahead as far as needed to see whether a prefix needs a file of its own. */
class TermCursor {
  readonly #source: Iterator<string>;
  #ahead: Term[] = [];
  #first = 0;

  constructor(source: Iterator<string>) {
    this.#source = source;
  }

  /** Returns the next term if it begins with a prefix. */
  at(prefix: string): Term | undefined {
    const term = this.#peek(0);
    return term?.text.startsWith(prefix) ? term : undefined;
  }

  take(): Term {
    const term = this.#peek(0);
    if (term === undefined) throw new RangeError('no term is left');
    this.#first += 1;
    return term;
  }

  /** Whether the terms that begin with a prefix are at most so many and so large. */
  fits(prefix: string, terms: number, size: number): boolean {
    let total = 0;
    for (let count = 0; ; count += 1) {
      const term = this.#peek(count);
      if (term === undefined || !term.text.startsWith(prefix)) return true;
      total += term.listed.size;
      if (count >= terms || total > size) return false;
    }
  }

  #peek(offset: number): Term | undefined {
    while (this.#ahead.length - this.#first <= offset) {
      if (this.#first > 10 * TERMS) {
        this.#ahead = this.#ahead.slice(this.#first);
        this.#first = 0;
      }
      const { value, done } = this.#source.next();
      if (done === true) return undefined;
      this.#ahead.push(termOf(value));
    }
    return this.#ahead[this.#first + offset];
  }
}
