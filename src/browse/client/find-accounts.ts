import {
  BEST,
  compareFound,
  folded,
  handleTerm,
  hex,
  type IndexEntry,
  LONGEST_PREFIX,
  matchOf,
  type SearchEntry,
  type Term,
  termsOf,
} from '../search/search-terms.ts';

/** A file of the search index. */
export interface IndexFile {
  readonly entries: readonly (SearchEntry & { readonly terms: readonly Term[] })[];
  /** The starts of the ranges of all files, in order, as `hex` writes them. Only the file `index` has them. */
  readonly starts: readonly string[];
}

/** The accounts that a query finds. */
export interface Found {
  /** The number of all accounts found; undefined if it is not known, because the file has only the best. */
  readonly total: number | undefined;
  /** The best of them, in order. */
  readonly entries: readonly SearchEntry[];
}

/** Returns a file of the search index from the arguments that its script passes. */
export function indexFile(entries: readonly IndexEntry[], starts: readonly string[] = []): IndexFile {
  const searched = entries.map(([handle, place, name, rank, ...formerHandles]) => {
    return { handle, place, name, rank, formerHandles, terms: termsOf({ handle, name, formerHandles }) };
  });
  return { entries: searched, starts };
}

/**
 * Finds accounts in the search index.
 * @param load loads the file with a name
 * @param newer the accounts whose names are newer than those of the index
 */
export async function findAccounts(query: string, load: (name: string) => Promise<IndexFile>, newer: IndexFile['entries']): Promise<Found> {
  const text = folded(query);
  if (text === '') return { total: 0, entries: [] };
  const { starts } = await load('index');
  const key = hex(text);
  const isInSeveral = starts.some((start) => start.length > key.length && start.startsWith(key));
  const range = starts.findLast((start) => start <= key) ?? starts[0] ?? '';
  const file = isInSeveral ? `best-${key.slice(0, 2)}` : `from-${range}`;
  const hasOnlyBest = isInSeveral || range.length > 2 * LONGEST_PREFIX;
  const matching = (all: IndexFile['entries']) =>
    all.flatMap((entry) => {
      const match = matchOf(text, entry.terms);
      return match === undefined ? [] : [{ match, entry }];
    });
  const inFile = matching((await load(file)).entries);
  const changed = new Set(newer.map(({ handle }) => handle));
  const found = [...inFile.filter(({ entry }) => !changed.has(entry.handle)), ...matching(newer)];
  const isFound = (handle: string) => handleTerm(handle).startsWith(text);
  const entries = found.sort(compareFound).slice(0, BEST);
  return {
    total: hasOnlyBest && inFile.length >= BEST ? undefined : found.length,
    entries: entries.map(({ entry }) => ({ ...entry, formerHandles: entry.formerHandles.filter(isFound) })),
  };
}
