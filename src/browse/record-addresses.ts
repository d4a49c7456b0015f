import type { ChangeRecord } from '../contract/record.ts';
import type { StoredAccounts } from '../store/stored-accounts.ts';
import { type AccountPart, accountParts, ONE_PART, partOfRecord } from './account-parts.ts';
import { type ByteText, byteText } from './byte-text.ts';
import { recordAddress } from './paths.ts';

/** Returns the address of a record in the tree. */
export type AddressOf = (record: ChangeRecord) => ByteText;

/** The addresses of the records of all accounts. It holds two numbers for each 50 records of long accounts. */
export class RecordAddresses {
  readonly #accounts: StoredAccounts;
  /** The accounts that can have several parts. */
  #long: ReadonlyMap<ByteText, string> | undefined;
  readonly #parts = new Map<ByteText, readonly AccountPart[]>();

  constructor(accounts: StoredAccounts) {
    this.#accounts = accounts;
  }

  readonly of: AddressOf = ({ account, id }) => recordAddress(account, this.#partOf(account, id), id);

  #partOf(account: ByteText, id: number): number {
    this.#long ??= new Map(this.#accounts.longAccounts(ONE_PART).map((handle) => [byteText(handle), handle]));
    const handle = this.#long.get(account);
    if (handle === undefined) return 1;
    const parts = this.#parts.get(account) ?? accountParts(this.#accounts.sizes(handle));
    this.#parts.set(account, parts);
    return partOfRecord(parts, id);
  }
}
