import { BEST, compareFound, folded, type Match, matchOf, type SearchEntry } from '../search-terms.ts';

/** A file of the search index, as its script passes it on. An entry is handle, place, name, rank, and former handles. */
export type IndexFile = readonly [prefix: string, total: number, next: string, best: readonly IndexEntry[], rest: readonly IndexEntry[]];
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
  for (const character of text) {
    if (!Array.from(file[2]).includes(character)) break;
    file = await load(file[0] + character);
  }
  const [prefix, total, , best, rest] = file;
  const isCounted = prefix === text;
  const listed = isCounted && best.length > 0 ? best : [...rest, ...best];
  const found = new Map<string, readonly [Match, SearchEntry]>();
  for (const [handle, place, name, rank, ...formerHandles] of listed) {
    const entry = { handle, place, name, rank, formerHandles };
    const match = matchOf(text, entry);
    if (match !== undefined) found.set(handle, [match, entry]);
  }
  const entries = [...found.values()].sort(compareFound).slice(0, BEST);
  return { total: isCounted ? total : found.size, entries: entries.map(([, entry]) => entry) };
}
