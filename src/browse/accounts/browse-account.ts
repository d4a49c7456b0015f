import type { Account } from '../../contract/account.ts';
import { formerHandlesOf } from '../../contract/accounts/former-handles.ts';
import { type Instant, timestampOf } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { StoredAccount, StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { type ByteText, byteText, parseByteJson } from '../markup.ts';
import { type AccountPart, olderParts } from './account-parts.ts';
import type { RecordLookup } from './record-lookup.ts';
import type { RenamesByRecord } from './renames.ts';

/** An account for its pages. All texts are byte texts. */
export interface BrowseAccount {
  /** Its profile, and all of its records. */
  readonly account: Account;
  /** The records of the main page, newest first. */
  readonly data: Account['data'];
  /** The number of its changes: its records without the first values. */
  readonly changes: number;
  /** Its renames, by the record below them. */
  readonly renames: RenamesByRecord;
  /** The time of the latest observation before a change, by record, if it is known. */
  readonly observedBefore: ReadonlyMap<number, string>;
  /** The parts of its records, oldest first. */
  readonly parts: readonly AccountPart[];
  /** Its earlier handles, sorted by time. */
  readonly formerHandles: readonly FormerHandleText[];
  /** When it was last seen; -1: lately; null: never observed. */
  readonly lastSeen: Instant | null;
  /** Other accounts that had the handle of this account before, the last one first. */
  readonly formerHolders: readonly FormerHolderText[];
}

/** A handle that the account had before. */
interface FormerHandleText {
  readonly handle: ByteText;
  /** The last time at which a source showed it. */
  readonly seen_to: string;
  /** The present handle of another account that has this handle now, perhaps in another letter case; undefined if none has it. */
  readonly holder: ByteText | undefined;
}

/** An account that had a handle before. */
export interface FormerHolderText {
  readonly screen_name: ByteText;
  readonly seen_to: string;
  /** The number of parts that its records had then. */
  readonly parts: number;
}

/** Reads an account for its pages. @param stored has its JSON */
export function readAccount(
  accounts: StoredAccounts,
  stored: StoredAccount,
  parts: readonly AccountPart[],
  formerHolders: BrowseAccount['formerHolders'],
  lookup: RecordLookup,
): BrowseAccount {
  const account: Account = parseByteJson(stored.json?.toString('latin1') ?? '');
  const older = olderParts(parts).at(-1)?.last ?? -1;
  return {
    account,
    data: older === -1 ? account.data : account.data.filter(({ id }) => id > older),
    changes: changesIn(account.data),
    renames: lookup.renames.ofAccount(account.screen_name, account.data),
    observedBefore: new Map(stored.intervals.map(({ record, from }) => [record, from])),
    parts,
    formerHandles: formerHandlesOf({ ...stored, former_handles: accounts.formerHandles(stored.id) }).map(({ handle, seen_to }) => {
      const holder = accounts.presentHolder(handle, stored.id);
      return { handle: byteText(handle), seen_to: timestampOf(seen_to), holder: holder === undefined ? undefined : byteText(holder) };
    }),
    lastSeen: stored.last_seen,
    formerHolders,
  };
}

/** Returns the number of the records that are not first values. */
export function changesIn(records: readonly ChangeRecord[]): number {
  return records.filter(({ previous }) => previous !== null).length;
}
