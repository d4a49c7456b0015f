import type { ByteText } from '../byte-text.ts';
import { BEST, compareFound, MATCH, type Match } from './search-terms.ts';

/** A term of an account. Terms are sorted, so all accounts that a prefix finds are beside each other. */
export interface Term {
  readonly text: ByteText;
  /** The size of the JSON of its account in bytes. */
  readonly size: number;
  readonly match: Match;
  /** The number of bytes that an earlier term of the same account begins with too; -1: it is the first. */
  readonly shared: number;
  readonly listed: ListedAccount;
}

/** An account as a file lists it. */
export interface ListedAccount {
  readonly handle: string;
  readonly rank: number;
  /** The fields of a `SearchEntry` before its former handles, as JSON. */
  readonly json: ByteText;
  /** Its former handles, each as JSON. */
  readonly formerHandles: readonly ByteText[];
}

/** The best accounts that a prefix finds. */
export class TopMatches {
  readonly #prefix: ByteText;
  /** The text of the term of an account whose handle is exactly the prefix. */
  readonly #whole: ByteText;
  readonly #exact = new Ranking();
  readonly #found = new Ranking();
  /** The number of accounts that the prefix finds. */
  total = 0;

  constructor(prefix: ByteText) {
    this.#prefix = prefix;
    this.#whole = `${prefix.replace(/ $/, '')} `;
  }

  /** Counts the account of a term. Returns false if an earlier term of the account begins with the prefix too. */
  count({ shared }: Term): boolean {
    if (shared >= this.#prefix.length) return false;
    this.total += 1;
    return true;
  }

  offer({ text, match, listed }: Term): void {
    if (match === MATCH.handle && text === this.#whole) this.#exact.offer(match, listed);
    this.#found.offer(match, listed);
  }

  /** Offers the best accounts of a longer prefix: no other account that it finds can be among the best here. */
  merge(longer: TopMatches): void {
    for (const [match, listed] of longer.#found.best) this.#found.offer(match, listed);
    if (longer.#whole !== this.#whole) return;
    for (const [match, listed] of longer.#exact.best) this.#exact.offer(match, listed);
  }

  /** The best accounts, in order. */
  get listed(): readonly ListedAccount[] {
    const exact = this.#exact.best.map(([, listed]) => listed);
    const handles = new Set(exact.map(({ handle }) => handle));
    const others = this.#found.best.map(([, listed]) => listed).filter(({ handle }) => !handles.has(handle));
    return [...exact, ...others].slice(0, BEST);
  }
}

type Ranked = readonly [match: Match, listed: ListedAccount];

/** The first accounts in the order of `compareFound`. */
class Ranking {
  readonly best: Ranked[] = [];
  /** The match and the rank of the last account, if there are as many as fit. */
  #worst: number = MATCH.name;
  #lowest = 0;

  offer(match: Match, listed: ListedAccount): void {
    // most accounts are not among the best: this comparison is the quick one
    if (match > this.#worst || (match === this.#worst && listed.rank < this.#lowest)) return;
    const candidate: Ranked = [match, listed];
    const last = this.best.at(-1);
    if (last !== undefined && this.best.length >= BEST && compareFound(candidate, last) >= 0) return;
    const known = this.best.findIndex(([, { handle }]) => handle === listed.handle);
    const before = this.best[known];
    if (before !== undefined && before[0] <= match) return;
    if (before !== undefined) this.best.splice(known, 1);
    const place = this.best.findIndex((other) => compareFound(candidate, other) < 0);
    this.best.splice(place === -1 ? this.best.length : place, 0, candidate);
    if (this.best.length > BEST) this.best.pop();
    const worst = this.best.at(-1);
    if (worst !== undefined && this.best.length === BEST) [this.#worst, this.#lowest] = [worst[0], worst[1].rank];
  }
}
