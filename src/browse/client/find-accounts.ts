import { BEST, compareFound, folded, type Match, matchOf, type SearchEntry } from '../search/search-terms.ts';

/**
 * A file of the search index, as its script passes it on: the prefix, and the endings that make the longer prefixes with a
 * file of their own. An entry is handle, place, name, rank, and former handles.
 */
export type IndexFile = readonly [
  prefix: string,
  total: number,
  next: readonly string[],
  best: readonly IndexEntry[],
  rest: readonly IndexEntry[],
];
export type IndexEntry = readonly [handle: string, place: string, name: string, rank: number, ...formerHandles: string[]];

/** The accounts that a query finds. */
export interface Found {
  /** The number of all accounts found. */
  readonly total: number;
  /** The best of them, in order. */
  readonly entries: readonly SearchEntry[];
}

/**
 * Finds accounts in the search index.
 * @param load loads the file of a prefix
 */
export async function findAccounts(query: string, load: (prefix: string) => Promise<IndexFile>): Promise<Found> {
  const text = folded(query);
  if (text === '') return { total: 0, entries: [] };
  let file = await load('');
  for (let [prefix, , next] = file; prefix.length < text.length; [prefix, , next] = file) {
    const ending = next.find((candidate) => text.startsWith(prefix + candidate) || (prefix + candidate).startsWith(text));
    if (ending === undefined) break;
    file = await load(prefix + ending);
  }
  const [prefix, total, , best, rest] = file;
  // all terms that begin with the query can have more characters in common
  const isCounted = prefix.startsWith(text);
  const listed = isCounted && best.length > 0 ? best : [...rest, ...best];
  const found = new Map<string, readonly [Match, SearchEntry]>();
  for (const [handle, place, name, rank, ...formerHandles] of listed) {
    const entry = { handle, place, name, rank, formerHandles };
    const match = matchOf(text, entry);
    if (match === undefined) continue;
    // a file can list an account twice, each time with other former handles: the better match counts
    const [known] = found.get(handle) ?? [];
    if (known === undefined || match < known) found.set(handle, [match, entry]);
  }
  const entries = [...found.values()].sort(compareFound).slice(0, BEST);
  return { total: isCounted ? total : found.size, entries: entries.map(([, entry]) => entry) };
}
