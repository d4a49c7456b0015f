import { encodeJson } from '../contract/json.ts';
import type { SearchedNames } from '../store/searched-names.ts';
import { sortedLines } from '../store/sorted-lines.ts';
import { byteText } from './byte-text.ts';
import { accountPlace } from './paths.ts';
import { bestFirst, RankedTerms } from './ranked-terms.ts';
import { cutName, handleTerm, MATCH, type Match, nameTerms, searchPath } from './search-terms.ts';
import { lineOf, type Term, TermCursor } from './term-cursor.ts';

/** A file of the search index: a classic script, because a page from `file://` can load nothing else. */
export interface SearchFile {
  readonly path: string;
  readonly text: string;
}

/** The largest number of terms in a file, and their largest size in UTF-16 units. A prefix with more is split. */
const TERMS = 100;
const SIZE = 8000;
/** A continuation of a prefix with at most this number of terms needs no file of its own. */
const FEW = 12;
/** Windows limits a path to 260 characters. A prefix whose path is longer is not split. */
const LONGEST_PATH = 150;
/** What one more character adds to a path: a slash and the digits of four bytes. */
const LONGEST_STEP = 9;

/**
 * Yields the files of the search index. There is a file for each prefix that many terms begin with. It contains the
 * best accounts for this prefix, the next characters with a file of their own, and all accounts that other continuations
 * find. The same accounts give the same bytes. Memory stays flat.
 */
export function* searchFiles(accounts: Iterable<SearchedNames>): Generator<SearchFile> {
  yield* filesOf(new TermCursor(sortedLines(linesOf(accounts))), new Node('', undefined));
}

/** A prefix, and what it finds. */
class Node {
  readonly prefix: string;
  readonly above: Node | undefined;
  readonly ranked: RankedTerms;
  /** The accounts in the file of the prefix: each with those former handles that terms of the file come from, as JSON. */
  readonly rest = new Map<string, string>();
  /** The number of accounts that the prefix finds. */
  total = 0;

  constructor(prefix: string, above: Node | undefined) {
    this.prefix = prefix;
    this.above = above;
    this.ranked = new RankedTerms(prefix);
  }

  /** Adds a term to what this prefix and those above it find. */
  offer(term: Term): void {
    this.ranked.offer(term);
    // an account counts once, although several of its terms can have a prefix in common
    for (let node: Node | undefined = this; node !== undefined; node = node.above) if (term.shared < node.prefix.length) node.total += 1;
  }
}

function* filesOf(terms: TermCursor, node: Node): Generator<SearchFile> {
  const { prefix, rest } = node;
  const path = searchPath(prefix);
  if (terms.fits(prefix, TERMS, SIZE)) {
    inline(terms, prefix, node);
    yield { path, text: textOf(prefix, rest.size, '', [], rest) };
    return;
  }
  let next = '';
  const canSplit = path.length + LONGEST_STEP <= LONGEST_PATH;
  let [room, size] = [TERMS, SIZE];
  for (let term = terms.at(prefix); term !== undefined; term = terms.at(prefix)) {
    const character = String.fromCodePoint(term.text.codePointAt(prefix.length) ?? 0x20);
    if (!canSplit || term.text.length === prefix.length) {
      node.offer(terms.take());
    } else if (terms.fits(prefix + character, Math.min(FEW, room), size)) {
      const taken = inline(terms, prefix + character, node);
      [room, size] = [room - taken.terms, size - taken.size];
    } else {
      next += character;
      const below = new Node(prefix + character, node);
      yield* filesOf(terms, below);
      node.ranked.join(below.ranked);
    }
  }
  yield { path, text: textOf(prefix, node.total, next, bestFirst(node.ranked), rest) };
}

/** Takes all terms with a prefix into the entries of a file. */
function inline(terms: TermCursor, prefix: string, node: Node): { readonly terms: number; readonly size: number } {
  let [count, size] = [0, 0];
  while (terms.at(prefix) !== undefined) {
    const term = terms.take();
    node.offer(term);
    count += 1;
    size += term.size;
    const known = node.rest.get(term.entry);
    node.rest.set(term.entry, known === undefined ? term.former : known + term.former);
  }
  return { terms: count, size };
}

function textOf(prefix: string, total: number, next: string, best: readonly Term[], rest: ReadonlyMap<string, string>): string {
  const bests = best.map(({ entry, former }) => `[${entry}${former}]`);
  const rests = Array.from(rest, ([entry, former]) => `[${entry}${former}]`);
  return `palimpsest([${encodeJson(prefix)},${total},${encodeJson(next)},[${bests.join(',')}],[${rests.join(',')}]])\n`;
}

/** Yields the terms of all accounts, each as a line. */
function* linesOf(accounts: Iterable<SearchedNames>): Generator<string> {
  for (const { screen_name, display_name, former_handles, changes } of accounts) {
    const place = accountPlace(byteText(screen_name));
    const folder = place.name === screen_name ? place.folder : `${place.folder}${place.name}`;
    const name = cutName(display_name);
    const entry = encodeJson([screen_name, folder, name, changes]).slice(1, -1);
    const terms: (readonly [text: string, match: Match, former: string])[] = [[handleTerm(screen_name), MATCH.handle, '']];
    for (const handle of new Set(former_handles.map(({ handle }) => handle)))
      terms.push([handleTerm(handle), MATCH.former, `,${encodeJson(handle)}`]);
    for (const text of nameTerms(name)) terms.push([text, MATCH.name, '']);
    let before: string | undefined;
    for (const [text, match, former] of terms.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
      const shared = before === undefined ? -1 : sharedLength(before, text);
      before = text;
      yield lineOf({ text, match, shared, entry, former, changes, size: 2 * (screen_name.length + name.length + former.length) + 12 });
    }
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
