import type { Account } from '../contract/account.ts';
import type { AccountPart } from './account-parts.ts';
import type { ByteText } from './byte-text.ts';

/** A handle that an account had before its present one. */
export interface FormerHandleText {
  readonly handle: ByteText;
  /** The last time at which a source showed the account with this handle. */
  readonly seen_to: string;
}

/** An account for its pages and feeds. All texts are byte texts. */
export interface BrowseAccount {
  /** Its profile, and all of its records. */
  readonly account: Account;
  /** The records of the main page and of the main feed, newest first. */
  readonly data: Account['data'];
  /** The value of the newest Verified record; null: no such record. */
  readonly verified: boolean | null;
  /** The number of all records. */
  readonly records: number;
  /** The parts of its records, oldest first. */
  readonly parts: readonly AccountPart[];
  /** Sorted by time. */
  readonly formerHandles: readonly FormerHandleText[];
  /** Other accounts that had the handle of this account before, the last one first. */
  readonly formerHolders: readonly FormerHolderText[];
}

/** An account that had a handle before. */
export interface FormerHolderText {
  readonly screen_name: ByteText;
  readonly seen_to: string;
  /** The number of parts that its records had then. */
  readonly parts: number;
}
