import { createHash } from 'node:crypto';
import { encodeJson } from '../contract/json.ts';
import type { SearchedNames } from '../store/searched-names.ts';
import { type Keyed, sortedValues } from '../store/sorted-values.ts';
import { byteText } from './byte-text.ts';
import { accountPlace } from './paths.ts';
import { BEST, compareFound, cutName, handleTerm, MATCH, type Match, nameTerms, type SearchEntry, searchPath } from './search-terms.ts';

/** A file of the search index: a classic script, because a page from `file://` can load nothing else. */
export interface SearchFile {
  readonly path: string;
  readonly text: string;
}

/** A term of an account. Terms are sorted, so all accounts that a prefix finds are beside each other. */
interface Term {
  readonly text: string;
  readonly match: Match;
  readonly entry: SearchEntry;
  /** The number of UTF-16 units that an earlier term of the same account begins with too; -1: it is the first. */
  readonly shared: number;
}

/** The largest number of terms in a file, and their largest size in UTF-16 units. A prefix with more is split. */
const TERMS = 200;
const SIZE = 12_000;
/** A continuation of a prefix with at most this number of terms needs no file of its own. */
const FEW = 40;
/** Windows limits a path to 260 characters. A prefix whose path is longer is not split. */
const LONGEST_PATH = 150;

/**
 * Yields the files of the search index. There is a file for each prefix that many terms begin with. It contains the
 * best accounts for this prefix, the next characters with a file of their own, and all accounts that other continuations
 * find. The same accounts give the same bytes. Memory stays flat.
 */
export function* searchFiles(accounts: Iterable<SearchedNames>): Generator<SearchFile> {
  const terms = new TermCursor(sortedValues<Row>(rowsOf(accounts)));
  yield* filesOf(terms, '', []);
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

function* filesOf(terms: TermCursor, prefix: string, above: readonly Best[]): Generator<SearchFile> {
  const rest = new Map<string, SearchEntry>();
  if (terms.fits(prefix, TERMS, SIZE)) {
    inline(terms, prefix, above, rest);
    yield fileOf(prefix, rest.size, '', [], rest);
    return;
  }
  const best = new Best(prefix);
  const open = [...above, best];
  let next = '';
  const canSplit = searchPath(`${prefix}\u{1f600}`).length <= LONGEST_PATH;
  let [room, size] = [TERMS, SIZE];
  for (let term = terms.at(prefix); term !== undefined; term = terms.at(prefix)) {
    const character = String.fromCodePoint(term.text.codePointAt(prefix.length) ?? 0x20);
    if (!canSplit || term.text.length === prefix.length) {
      offer(terms.take(), open);
    } else if (terms.fits(prefix + character, Math.min(FEW, room), size)) {
      const taken = inline(terms, prefix + character, open, rest);
      [room, size] = [room - taken.terms, size - taken.size];
    } else {
      next += character;
      yield* filesOf(terms, prefix + character, open);
    }
  }
  yield fileOf(prefix, best.total, next, best.entries, rest);
}

/** Yields the terms of all accounts, each with the account as JSON. */
function* rowsOf(accounts: Iterable<SearchedNames>): Generator<Keyed> {
  for (const { screen_name, display_name, former_handles, changes } of accounts) {
    const place = accountPlace(byteText(screen_name));
    const folder = place.name === screen_name ? place.folder : `${place.folder}${place.name}`;
    const name = cutName(display_name);
    const entry = JSON.stringify([screen_name, folder, name, rankOf(changes)]).slice(1, -1);
    const terms: (readonly [text: string, match: Match, former?: string])[] = [[handleTerm(screen_name), MATCH.handle]];
    for (const { handle } of former_handles) terms.push([handleTerm(handle), MATCH.former, handle]);
    for (const text of nameTerms(name)) terms.push([text, MATCH.name]);
    let before = '';
    for (const [text, match, former] of terms.toSorted(compareTerms)) {
      const shared = before === '' ? -1 : sharedLength(before, text);
      before = text;
      const last = former === undefined ? '' : `,${JSON.stringify(former)}`;
      yield { key: text, json: `[${JSON.stringify(text)},${match},${shared},${entry}${last}]` };
    }
  }
}

/**
 * Returns the rank of an account with a number of changes. It grows by one when the number is four times as large, so a
 * new change rarely changes a file of the index.
 */
export function rankOf(changes: number): number {
  return Math.ceil((32 - Math.clz32(changes)) / 2);
}

/** A term as it is sorted. */
type Row = readonly [
  text: string,
  match: Match,
  shared: number,
  handle: string,
  place: string,
  name: string,
  rank: number,
  ...former: string[],
];

function termOf([text, match, shared, handle, place, name, rank, ...formerHandles]: Row): Term {
  return { text, match, shared, entry: { handle, place, name, rank, formerHandles } };
}

function compareTerms([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : Number(a > b);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Takes all terms with a prefix into the entries of a file. */
function inline(terms: TermCursor, prefix: string, open: readonly Best[], rest: Map<string, SearchEntry>): Taken {
  const taken = { terms: 0, size: 0 };
  while (terms.at(prefix) !== undefined) {
    const term = terms.take();
    offer(term, open);
    taken.terms += 1;
    taken.size += sizeOf(term.entry);
    const { handle } = term.entry;
    rest.set(handle, joined(rest.get(handle), term.entry));
  }
  return taken;
}

interface Taken {
  readonly terms: number;
  readonly size: number;
}

function offer(term: Term, open: readonly Best[]): void {
  for (const best of open) best.offer(term);
}

/** An account can have several former handles. Only those that the terms of a file come from are in this file. */
function joined(known: SearchEntry | undefined, entry: SearchEntry): SearchEntry {
  if (known === undefined) return entry;
  return { ...known, formerHandles: [...new Set([...known.formerHandles, ...entry.formerHandles])] };
}

/** The best accounts that a prefix finds. */
class Best {
  readonly #prefix: string;
  #found: (readonly [Match, SearchEntry])[] = [];
  /** The match and the rank of the last account, if there are as many as fit. */
  #worst: number = MATCH.name;
  #lowest = 0;
  /** The number of accounts that the prefix finds. */
  total = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  offer({ text, match, entry, shared }: Term): void {
    if (shared < this.#prefix.length) this.total += 1;
    const isWhole = match === MATCH.handle && text.length <= this.#prefix.length + 1 && text.trimEnd() === this.#prefix.trimEnd();
    const better = isWhole ? MATCH.exact : match;
    // most accounts are not among the best: this comparison is the quick one
    if (better > this.#worst || (better === this.#worst && entry.rank < this.#lowest)) return;
    const candidate = [better, entry] as const;
    const worst = this.#found.at(-1);
    if (worst !== undefined && this.#found.length >= BEST && compareFound(candidate, worst) >= 0) return;
    const known = this.#found.findIndex(([, { handle }]) => handle === entry.handle);
    const before = this.#found[known];
    if (before !== undefined && before[0] <= candidate[0]) return;
    if (before !== undefined) this.#found.splice(known, 1);
    const place = this.#found.findIndex((other) => compareFound(candidate, other) < 0);
    this.#found.splice(place === -1 ? this.#found.length : place, 0, candidate);
    if (this.#found.length > BEST) this.#found.pop();
    const last = this.#found.at(-1);
    if (last !== undefined && this.#found.length === BEST) [this.#worst, this.#lowest] = [last[0], last[1].rank];
  }

  get entries(): readonly SearchEntry[] {
    return this.#found.map(([, entry]) => entry);
  }
}

function fileOf(
  prefix: string,
  total: number,
  next: string,
  best: readonly SearchEntry[],
  rest: ReadonlyMap<string, SearchEntry>,
): SearchFile {
  const listed = (entries: Iterable<SearchEntry>) =>
    [...entries].map(({ handle, place, name, rank, formerHandles }) => [handle, place, name, rank, ...formerHandles]);
  return { path: searchPath(prefix), text: `palimpsest(${encodeJson([prefix, total, next, listed(best), listed(rest.values())])})\n` };
}

/** Reads sorted terms, and looks ahead as far as needed to see whether a prefix needs a file of its own. */
class TermCursor {
  readonly #source: Iterator<Row>;
  #ahead: Term[] = [];
  #first = 0;

  constructor(source: Iterator<Row>) {
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
      total += sizeOf(term.entry);
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

function sizeOf({ handle, name, formerHandles }: SearchEntry): number {
  return 2 * (handle.length + name.length + (formerHandles[0]?.length ?? 0)) + 12;
}
