import type { Account } from '../contract/account.ts';
import type { AccountState } from '../contract/account-state.ts';
import type { Collection } from '../contract/collection.ts';
import type { FailureCode, Place } from '../contract/failure.ts';
import type { ChangeRecord } from '../contract/record.ts';

/**
 * One thing that a source holds, checked, with the place it came from. An account's records come as
 * items before it, and a page's items before the page.
 */
export type Item =
  | { readonly kind: 'record'; readonly record: ChangeRecord; readonly place: Place }
  | { readonly kind: 'account'; readonly account: Account; readonly place: Place }
  | { readonly kind: 'state'; readonly state: AccountState; readonly place: Place }
  | { readonly kind: 'page'; readonly page: SavedPage }
  | InputError;

/** A page that was read: what it says of its collection, and how many items it has. */
export interface SavedPage {
  /** What its items are; undefined where it has none. */
  readonly collection: Collection | undefined;
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly items: number;
}

/** Something in a source that is neither record nor account, and why. */
export interface InputError {
  readonly kind: 'error';
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string;
  readonly found: string;
  /** What to do about it, where there is more to say than mending or setting it aside. */
  readonly hint?: string;
  /** The item as it stood there: a JSON value, or the text that was none. */
  readonly item?: unknown;
}

/** Bytes from outside, opened when they are read. */
export interface Input {
  /** A path, or `standard input`. */
  readonly name: string;
  /** Length in bytes where it is known, for progress. */
  readonly size: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
}
