import { BEST, MATCH } from './search-terms.ts';
import type { Term } from './term-cursor.ts';

/**
 * The best terms of a prefix, one for each account. The lists of longer prefixes are joined to that of their common
 * beginning, so each term is ranked once.
 */
export class RankedTerms {
  readonly #whole: string;
  /** Terms of handles that the prefix is the whole of. They are the best for this prefix, but not for shorter ones. */
  readonly exact: Term[] = [];
  readonly others: Term[] = [];

  constructor(prefix: string) {
    this.#whole = prefix.trimEnd();
  }

  offer(term: Term): void {
    insert(this.others, term);
    if (term.match === MATCH.handle && term.text.length <= this.#whole.length + 1 && term.text.trimEnd() === this.#whole)
      insert(this.exact, term);
  }

  /** Adds the terms of a longer prefix. */
  join(longer: RankedTerms): void {
    for (const term of longer.others) this.offer(term);
    for (const term of longer.exact) this.offer(term);
  }
}

/** Returns the best accounts: first those whose handle is the prefix. */
export function bestFirst({ exact, others }: RankedTerms): readonly Term[] {
  const handles = new Set(exact.map(({ entry }) => entry));
  return [...exact, ...others.filter(({ entry }) => !handles.has(entry))].slice(0, BEST);
}

/** Inserts a term into a sorted list of the best ones. The better term of an account replaces the other one. */
function insert(list: Term[], term: Term): void {
  const worst = list[BEST - 1];
  // most terms are not among the best
  if (worst !== undefined && compare(term, worst) >= 0) return;
  const known = list.findIndex(({ entry }) => entry === term.entry);
  const before = list[known];
  if (before !== undefined && before.match <= term.match) return;
  if (before !== undefined) list.splice(known, 1);
  const place = list.findIndex((other) => compare(term, other) < 0);
  list.splice(place === -1 ? list.length : place, 0, term);
  if (list.length > BEST) list.pop();
}

/** Compares as the search does: by match, then by the number of changes, then by handle. */
function compare(a: Term, b: Term): number {
  return a.match - b.match || b.changes - a.changes || (a.entry === b.entry ? 0 : handleOf(a) < handleOf(b) ? -1 : 1);
}

function handleOf({ entry }: Term): string {
  const text = entry.slice(0, entry.indexOf('"', 1) + 1);
  return text.includes('\\') ? JSON.parse(`[${entry}]`)[0] : text.slice(1, -1);
}
