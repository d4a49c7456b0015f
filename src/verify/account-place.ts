import type { Account } from '../contract/account.ts';

/** What the accounts are sorted by. */
export interface AccountPlace {
  /** The id of the first record; infinite for an account without records. */
  readonly first: number;
  readonly name: string;
}

export function placeOf({ data, screen_name }: Account): AccountPlace {
  return { first: data.reduce((first, record) => Math.min(first, record.id), Number.POSITIVE_INFINITY), name: screen_name };
}

/** Compares accounts in the order of the collection: by first record, then accounts without records by the bytes of their names. */
export function comparePlaces(a: AccountPlace, b: AccountPlace): number {
  return a.first === b.first ? Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) : a.first < b.first ? -1 : 1;
}
