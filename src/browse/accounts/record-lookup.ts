import { parseInstant } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { type ByteText, byteText, type Markup } from '../markup.ts';
import { recordAddress } from '../paths.ts';
import { type AccountPart, accountParts, isOnePart, ONE_PART, partOfRecord } from './account-parts.ts';
import { type DatedAccount, type Rename, Renames } from './renames.ts';

/** Returns the address of a record in the tree. */
export type AddressOf = (record: ChangeRecord) => Markup;

/** What a page needs to know about a record beyond the record itself. */
export interface RecordFacts {
  readonly addressOf: AddressOf;
  /** Returns the text of the record with an id; undefined if the store has no such record. */
  readonly textOf: (id: number) => ByteText | null | undefined;
  /** Returns the handle that an account had at a time, such as that of a record. */
  readonly handleAt: (dated: DatedAccount) => ByteText;
}

/** The number of records that are looked up one by one. With more, it takes less time to find all accounts with several parts at once. */
const SINGLE_LOOKUPS = 1000;

/** Looks up the facts about records. It holds two numbers for each 50 records of long accounts, and all renames. */
export class RecordLookup implements RecordFacts {
  readonly #accounts: StoredAccounts;
  /** The accounts that can have several parts; undefined as long as few records were looked up. */
  #long: ReadonlyMap<ByteText, string> | undefined;
  #lookups = 0;
  readonly #parts = new Map<ByteText, readonly AccountPart[]>();
  #renames: Renames | undefined;

  constructor(accounts: StoredAccounts) {
    this.#accounts = accounts;
  }

  get renames(): Renames {
    this.#renames ??= new Renames(this.#accounts.namedHandles());
    return this.#renames;
  }

  readonly addressOf: AddressOf = ({ account, id }) => recordAddress(account, this.#partOf(account, id), id);

  readonly textOf: RecordFacts['textOf'] = (id) => {
    const text = this.#accounts.textOf(id);
    return typeof text === 'string' ? byteText(text) : text;
  };

  readonly handleAt: RecordFacts['handleAt'] = (dated) => this.renames.handleAt(dated);

  /**
   * Returns the renames between each record and the one before it of the same account, each once. A rename found by `observe` is later
   * than all records of its account, so it belongs to the next one, and never to an archive that is full.
   */
  renamesBefore(records: readonly ChangeRecord[]): readonly Rename[] {
    const all = records.flatMap(({ id, account, first_encountered_date }) => {
      const renames = this.renames.of(account);
      if (renames.length === 0) return [];
      const [from, to] = [parseInstant(this.#accounts.timeBefore(id) ?? '') ?? -1, parseInstant(first_encountered_date) ?? 0];
      return renames.filter(({ seen_to }) => seen_to >= from && seen_to < to);
    });
    // records can be out of order
    return [...new Set(all)];
  }

  #partOf(account: ByteText, id: number): number {
    const known = this.#parts.get(account);
    if (known !== undefined) return partOfRecord(known, id);
    const handle = this.#longAccount(account, id);
    if (handle === undefined) return 1;
    const parts = accountParts(this.#accounts.sizes(handle));
    this.#parts.set(account, parts);
    return partOfRecord(parts, id);
  }

  /** Returns the handle of the account of a record if it can have several parts. */
  #longAccount(account: ByteText, record: number): string | undefined {
    this.#lookups += 1;
    if (this.#lookups <= SINGLE_LOOKUPS) {
      const found = this.#accounts.accountOf(record);
      return found === undefined || isOnePart(found) ? undefined : found.screen_name;
    }
    this.#long ??= new Map(this.#accounts.longAccounts(ONE_PART).map((handle) => [byteText(handle), handle]));
    return this.#long.get(account);
  }
}
