import type { ByteText } from '../markup.ts';
import { isCrowded } from './search-ranges.ts';
import { BEST, compareFound, type Match, matchBy, type SearchEntry, type Term } from './search-terms.ts';

/** An account with its rank and its JSON in a file of the index. */
export interface RankedAccount extends Pick<SearchEntry, 'handle' | 'rank'> {
  /** Its `IndexEntry`. */
  readonly json: ByteText;
}

/** The best accounts with terms that begin with one text, in order. */
interface BestFound {
  readonly found: { readonly match: Match; readonly entry: RankedAccount }[];
  /** The largest number of accounts. */
  readonly limit: number;
}

/** The size of an account in bytes, to estimate how many fit in a file. */
const ACCOUNT_SIZE = 400;

/** The best accounts for the texts with too many accounts for one file. */
export class BestAccounts {
  readonly #lists: ReadonlyMap<ByteText, BestFound>;

  /**
   * @param starts the starts of the ranges. A text that a start continues is a query that finds accounts in several ranges
   * @param size the largest size of a file in bytes
   */
  constructor(starts: readonly ByteText[], size: number) {
    const lists = new Map<ByteText, BestFound>();
    for (const start of starts) {
      for (let end = 1; end < start.length; end += 1) lists.set(start.slice(0, end), { found: [], limit: BEST });
      if (isCrowded(start)) lists.set(start, { found: [], limit: Math.max(BEST, Math.floor(size / ACCOUNT_SIZE)) });
    }
    this.#lists = lists;
  }

  /** Whether a range text has too many accounts for one file. */
  has(text: ByteText): boolean {
    return this.#lists.has(text);
  }

  /** Adds an account to the best accounts of each text that finds it, if it is one of them. */
  offer({ handle, rank, json }: RankedAccount, terms: readonly Term[]): void {
    const seen = new Set<BestFound>();
    const entry = { handle, rank, json };
    for (const term of terms) {
      for (let end = 1; end <= term.text.length; end += 1) {
        const text = term.text.slice(0, end);
        const list = this.#lists.get(text);
        if (list === undefined) break;
        if (seen.has(list)) continue;
        seen.add(list);
        insert({ match: matchBy(term, text), entry }, list);
      }
    }
  }

  /** Returns the JSON of the best accounts of a crowded range. */
  crowded(start: ByteText): readonly ByteText[] {
    return this.#lists.get(start)?.found.map(({ entry }) => entry.json) ?? [];
  }

  /** Yields the JSON of the best accounts for all queries with the same first byte. */
  *byFirstByte(): Generator<[firstByte: ByteText, entries: ReadonlySet<ByteText>]> {
    const queries = [...this.#lists].filter(([text]) => !isCrowded(text));
    for (const firstByte of new Set(queries.map(([text]) => text.charAt(0)))) {
      const lists = queries.flatMap(([text, { found }]) => (text.startsWith(firstByte) ? found : []));
      yield [firstByte, new Set(lists.map(({ entry }) => entry.json))];
    }
  }
}

function insert(found: BestFound['found'][number], { found: list, limit }: BestFound): void {
  const last = list[limit - 1];
  if (last !== undefined && compareFound(found, last) >= 0) return;
  const place = list.findIndex((other) => compareFound(found, other) < 0);
  list.splice(place === -1 ? list.length : place, 0, found);
  if (list.length > limit) list.pop();
}
