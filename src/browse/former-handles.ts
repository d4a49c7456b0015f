import { timestampOf } from '../contract/instant.ts';
import type { StoredAccounts } from '../store/stored-accounts.ts';
import { FOLDERS } from './account-index.ts';
import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, byteText } from './byte-text.ts';
import { accountPlace } from './paths.ts';

/** A handle that accounts had before. */
export interface FormerHandlePlace {
  readonly handle: ByteText;
  /** The last account that had it comes first. */
  readonly holders: readonly FormerHolderText[];
}

/** All former handles by the folder of their pages. There are far fewer of them than accounts. */
export class FormerHandles {
  readonly #folders: Map<ByteText, FormerHolderText[]>[] = Array.from({ length: FOLDERS }, () => new Map());

  constructor(accounts: StoredAccounts) {
    for (const { handle, screen_name, seen_to } of accounts.formerNames()) {
      const text = byteText(handle);
      const folder = this.#folders[Number.parseInt(accountPlace(text).folder, 16)];
      const holder = { screen_name: byteText(screen_name), seen_to: timestampOf(seen_to) };
      const known = folder?.get(text);
      if (known === undefined) folder?.set(text, [holder]);
      else if (known.every((other) => other.screen_name !== holder.screen_name)) known.push(holder);
    }
  }

  /** Returns the accounts that had a handle before, except the one that has it today. */
  holdersOf(handle: ByteText, folder: number): readonly FormerHolderText[] {
    return this.#folders[folder]?.get(handle)?.filter(({ screen_name }) => screen_name !== handle) ?? NONE;
  }

  /** Whether an account had a handle before. */
  has(handle: ByteText, folder: number): boolean {
    return this.#folders[folder]?.has(handle) ?? false;
  }

  /** Yields the former handles of a folder, sorted by handle. */
  *in(folder: number): Generator<FormerHandlePlace> {
    for (const [handle, holders] of this.#folders[folder] ?? []) yield { handle, holders };
  }
}

const NONE: readonly FormerHolderText[] = [];
