import type { Identity, Summary } from '../../contract/account.ts';

/** The result for one item. A conflict changes nothing and contains both versions. */
export type Outcome = 'added' | 'same' | 'kept' | 'replaced' | 'excluded' | Conflict;

/** How many items had each outcome. */
export interface Tally {
  readonly added: number;
  readonly same: number;
  readonly kept: number;
  readonly replaced: number;
  /** Items of accounts that were removed and must not come back. */
  readonly excluded: number;
}

export const NO_ITEMS: Tally = { added: 0, same: 0, kept: 0, replaced: 0, excluded: 0 };

export interface Conflict {
  /** Such as `record 12` or `account jack`. */
  readonly subject: string;
  readonly stored: string;
  readonly found: string;
  /** Whether the item is new, so that the store has no version of it: then `stored` says what was expected, and `found` what is there instead. */
  readonly isNew?: boolean;
  /** What to do, if no policy resolves the conflict. */
  readonly hint?: string;
  /** Set if two accounts have the screen name. */
  readonly namesake?: Namesake;
}

/** Two accounts with one screen name: the store has one of them, and the other is left out. */
export interface Namesake {
  /** The creation dates of both; null if unknown. */
  readonly kept: string | null;
  readonly leftOut: string | null;
  /** The profile that is left out, if it is the one that the store had: an account without its records. */
  readonly replaced: (Identity & Summary) | undefined;
}

/** Counts items as excluded instead of added, because the batch learned later that their account is excluded. */
export function withdraw(tally: { added: number; excluded: number }, items: number): void {
  // an account that an earlier batch added under that name is removed too
  tally.added -= Math.min(tally.added, items);
  tally.excluded += items;
}
