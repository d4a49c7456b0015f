import type { Account } from '../contract/account.ts';
import type { AccountState } from '../contract/account-state.ts';
import type { Collection } from '../contract/collection.ts';
import type { Exclusion } from '../contract/exclusion.ts';
import type { FailureCode, Place } from '../contract/failure.ts';
import type { ChangeRecord } from '../contract/record.ts';

/**
 * One validated item of a source, with its place.
 * The records of an account come before the account, and the items of a page come before the page.
 */
export type Item =
  | { readonly kind: 'record'; readonly record: ChangeRecord; readonly place: Place }
  | { readonly kind: 'account'; readonly account: Account; readonly place: Place }
  | { readonly kind: 'state'; readonly state: AccountState; readonly place: Place }
  | { readonly kind: 'exclusion'; readonly exclusion: Exclusion; readonly place: Place }
  | { readonly kind: 'page'; readonly page: SavedPage }
  | InputError;

/** The envelope of a page, and the number of its items. */
export interface SavedPage {
  /** The collection of its items; undefined if the page is empty. */
  readonly collection: Collection | undefined;
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly items: number;
}

/** Something in a source that is not a valid item, and the reason. */
export interface InputError {
  readonly kind: 'error';
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string;
  readonly found: string;
  /** What to do, if it is more than fixing or rejecting the item. */
  readonly hint?: string;
  /** The item as found: a JSON value, or the text that is not JSON. */
  readonly item?: unknown;
}

/** A source of bytes. It is opened when it is read. */
export interface Input {
  /** A path, or `standard input`. */
  readonly name: string;
  /** The length in bytes, for progress; undefined if it is unknown. */
  readonly size: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
  /** The bag that the file is in. */
  readonly bag?: string;
  /** The saved pages in a web archive, which are read in place of its bytes. */
  readonly pages?: () => AsyncIterable<Input>;
}
