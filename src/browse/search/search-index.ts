import { createHash } from 'node:crypto';
import { encodeJson } from '../../contract/json.ts';
import type { SearchedNames } from '../../store/accounts/account-reader.ts';
import { sortedLines } from '../../store/histories/sorted-lines.ts';
import { type ByteText, exactByteText, type Markup, plainText, trusted } from '../byte-text.ts';
import { LONGEST_PREFIX, longerPrefix, PrefixCursor } from './prefix-cursor.ts';
import { rankOf, termLines, termOf } from './search-term-lines.ts';
import { searchPath } from './search-terms.ts';
import { type ListedAccount, type Term, TopMatches } from './top-matches.ts';

/** A file of the search index: a classic script, because a page from `file://` can load nothing else. */
interface SearchFile {
  readonly path: string;
  readonly text: Markup;
}

/** The largest number of terms in a file, and their largest size in bytes. A prefix with more is split. */
const TERMS = 1200;
const SIZE = 60_000;
/** A continuation of a prefix with at most this number of terms needs no file of its own. */
const FEW = 600;

/**
 * Yields the files of the search index. There is a file for each prefix that many terms begin with, unless all of them have
 * the same next character. It contains the best accounts for this prefix, the continuations with a file of their own, and
 * all accounts that other continuations find. The same accounts give the same bytes. Memory stays flat.
 */
export function* searchFiles(accounts: Iterable<SearchedNames>): Generator<SearchFile> {
  yield* filesOf(new PrefixCursor(sortedTerms(accounts)), '', []);
}

function* sortedTerms(accounts: Iterable<SearchedNames>): Generator<Term> {
  for (const line of sortedLines(termLines(accounts))) yield termOf(line);
}

/**
 * Returns a digest of everything that the search index shows. It takes a small part of the time of the index.
 * @returns the SHA-256 as hexadecimal digits
 */
export function searchDigest(accounts: Iterable<SearchedNames>): string {
  const hash = createHash('sha256');
  for (const { screen_name, display_name, former_handles, records } of accounts) {
    hash.update(JSON.stringify([screen_name, display_name, rankOf(records), ...former_handles.map(({ handle }) => handle)]));
  }
  return hash.digest('hex');
}

/**
 * Yields the files of a prefix and of its continuations.
 * @param above the best accounts of the shorter prefixes, shortest first
 * @returns the shortest prefix with a file: the prefix, or the continuation that all its terms begin with
 */
function* filesOf(terms: PrefixCursor<Term>, prefix: ByteText, above: readonly TopMatches[]): Generator<SearchFile, ByteText> {
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

/** Takes all terms with a prefix into the entries of a file. */
function inline(terms: PrefixCursor<Term>, prefix: string, open: readonly TopMatches[], rest: Map<string, ListedAccount>): Taken {
  const taken = { terms: 0, size: 0 };
  for (const term of terms.all(prefix)) {
    offer(term, open);
    taken.terms += 1;
    taken.size += term.size;
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
  return { path: searchPath(text), text: trusted(`palimpsest([${names},${total},${endings},[${arrays(best)}],[${arrays(rest)}]])\n`) };
}

function arrays(accounts: Iterable<ListedAccount>): ByteText {
  return Array.from(accounts, ({ json, formerHandles }) => `[${[json, ...formerHandles].join(',')}]`).join(',');
}
