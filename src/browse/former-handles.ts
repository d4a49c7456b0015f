import { timestampOf } from '../contract/instant.ts';
import type { StoredAccounts } from '../store/stored-accounts.ts';
import type { AccountIndex } from './account-index.ts';
import { accountParts, isOnePart } from './account-parts.ts';
import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, byteText } from './byte-text.ts';
import { accountPlace } from './paths.ts';

/** The former handles whose pages are in one folder. */
export class FormerHandles {
  readonly #holders = new Map<ByteText, FormerHolderText[]>();

  /** @param index the accounts that had a handle of each folder */
  constructor(accounts: StoredAccounts, index: AccountIndex, folder: number) {
    for (const { handle, screen_name, seen_to, ...size } of accounts.formerNames(index.rows(folder))) {
      const text = byteText(handle);
      // these accounts can have former handles in other folders too
      if (Number.parseInt(accountPlace(text).folder, 16) !== folder) continue;
      const time = timestampOf(seen_to);
      const parts = isOnePart(size) ? 1 : accountParts(accounts.sizesUntil(screen_name, `${time.slice(0, 19)}Z`)).length;
      const holder = { screen_name: byteText(screen_name), seen_to: time, parts };
      const known = this.#holders.get(text);
      if (known === undefined) this.#holders.set(text, [holder]);
      else if (known.every((other) => other.screen_name !== holder.screen_name)) known.push(holder);
    }
  }

  /** Returns the accounts that had a handle before, except the one that has it today. The last one comes first. */
  holdersOf(handle: ByteText): readonly FormerHolderText[] {
    return this.#holders.get(handle)?.filter(({ screen_name }) => screen_name !== handle) ?? NONE;
  }

  /** Whether an account had a handle before. */
  has(handle: ByteText): boolean {
    return this.#holders.has(handle);
  }

  /** Returns the handles, sorted. */
  handles(): Iterable<ByteText> {
    return this.#holders.keys();
  }
}

const NONE: readonly FormerHolderText[] = [];
