import type { Account } from '../contract/account.ts';
import type { AccountState } from '../contract/accounts/account-state.ts';
import type { Exclusion } from '../contract/accounts/exclusion.ts';
import type { Place } from '../contract/failure.ts';
import type { FailureCode } from '../contract/failure-codes.ts';
import type { DecompressionLimit } from '../contract/files/decompression-limit.ts';
import type { GoneItem } from '../contract/files/gone-item.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { DaySpan } from '../contract/snapshots/snapshot-days.ts';
import type { PageItems } from './items/page-items.ts';

/**
 * One validated item of a source, with its place.
 * The records of an account come before the account, and the items of a page come before the page.
 */
export type Item =
  | RecordItem
  | { readonly kind: 'account'; readonly account: Account; readonly place: Place }
  | { readonly kind: 'state'; readonly state: AccountState; readonly place: Place }
  | { readonly kind: 'exclusion'; readonly exclusion: Exclusion; readonly place: Place }
  | { readonly kind: 'gone'; readonly gone: GoneItem }
  | { readonly kind: 'page'; readonly page: SavedPage }
  | { readonly kind: 'incomplete'; readonly report: IncompleteMirror }
  | { readonly kind: 'days'; readonly days: readonly DaySpan[] }
  | InputError;

export interface RecordItem {
  readonly kind: 'record';
  readonly record: ChangeRecord;
  readonly place: Place;
  /** The JSON of the record as on a page, if the source has these bytes. */
  readonly json?: string | undefined;
}

/** The envelope of a page, and its items. */
export interface SavedPage extends PageItems {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  /** The number of its items. */
  readonly items: number;
}

/** Something in a source that is not a valid item, and the reason. */
export interface InputError {
  readonly kind: 'error';
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string;
  readonly found: string;
  /** What is wrong, if it is not an item: a whole input. */
  readonly message?: string | undefined;
  /** What to do, if it is more than fixing or rejecting the item. */
  readonly hint?: string | undefined;
  /** Set if another command reads the item. The hint names that command for all sources, not for one file. */
  readonly otherCommand?: { readonly hintForAll: string } | undefined;
  /** The options under which the item was read, if they decide what it means. The rejects file keeps them. */
  readonly options?: RejectOptions | undefined;
  /** The item as found: a JSON value, or the text that is not JSON. */
  readonly item?: unknown;
}

/** The options of `observe` under which a snapshot was read. */
export interface RejectOptions {
  /** The name of the format; missing if it was detected. */
  readonly from?: string | undefined;
  /** The time of a snapshot that contains no time: UTC with six digits of a second. */
  readonly observed_at?: string | undefined;
  readonly unescape?: true | undefined;
}

/** What a run that reads inputs calls, and what stops it. */
export interface RunHooks {
  /** Called with each item that cannot be used. Without it, nothing is written if there is such an item. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Called once after all inputs are read, just before the commit. If it throws, nothing is written. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  /** Stops the run: nothing is written. */
  readonly signal?: AbortSignal | undefined;
}

/** Decides which members of an archive are read. */
export interface MemberFilter {
  /** @param member the path in the archive */
  readonly accepts: (member: string) => boolean;
  /** Whether the input itself is read if it is not an archive. */
  readonly acceptsFile: () => boolean;
  /** @throws Failure no-source if no file of all sources was accepted so far */
  readonly throwIfNone: (sources: readonly string[]) => void;
}

/** Opens sources that are not on this machine. */
export interface RemoteSources {
  /** Yields the objects at and below the address of an object store. */
  readonly objects: (address: string) => AsyncIterable<RemoteObject>;
  /** Yields the bytes at a URL, http or https. */
  readonly download: (url: string) => AsyncIterable<Uint8Array>;
}

export interface RemoteObject {
  /** The address, such as s3://bucket/key. */
  readonly name: string;
  /** The path below the address of the source; '' if it is the address itself. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The name of the input that `-` stands for. */
export const STANDARD_INPUT = 'standard input';

/** A source of bytes. It is opened when it is read. */
export interface Input {
  /** A path, or `standard input`. */
  readonly name: string;
  /** The length in bytes, for progress; undefined if it is unknown. */
  readonly size: number | undefined;
  /** @throws Failure no-source if the input is known to be unreadable */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Whether the user named the input itself. Other inputs were found in a folder or an archive. */
  readonly isNamed?: boolean;
  /** The bag that the file is in. */
  readonly bag?: string;
  /** The folder of the tree that the file is a page of. */
  readonly tree?: string;
  /** The path of the file, if the input is a file of this machine. */
  readonly path?: string;
  /** The path of another input. If both have the same content, only the other one is read. */
  readonly copyOf?: string | undefined;
  /** If the input is an archive: decides which of its members are read. Without it, all are read. */
  readonly filter?: MemberFilter;
  /** If the input is a member of an archive: the name of the archive, and the path in it. */
  readonly member?: { readonly archive: string; readonly path: string };
  /** Counts the bytes of the file that contains this input, with all that it contains, to refuse a decompression bomb. */
  readonly expansion?: DecompressionLimit;
  /** Counts bytes that are read from the file without `open`, for progress. */
  readonly meter?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** The inputs in a web archive or below a prefix, which are read in place of its bytes. */
  readonly pages?: () => AsyncIterable<Input>;
}
