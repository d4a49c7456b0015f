import type { Instant } from '../contract/instant.ts';
import type { Profile } from '../contract/observation.ts';
import type { AccountCache } from './account-cache.ts';
import type { AccountRow, AccountTable } from './account-table.ts';
import { type KnownAccount, watermarkOf } from './known-account.ts';

/** Finds the account of a profile by its stable id, or by its handle if the source has no stable id. */
export class AccountResolver {
  readonly #table: AccountTable;
  readonly #cache: AccountCache;

  constructor(table: AccountTable, cache: AccountCache) {
    this.#table = table;
    this.#cache = cache;
  }

  /** Returns the account of a profile that was observed at an instant. Returns undefined if it is new. */
  find({ id, screen_name }: Profile, formerNames: readonly string[], instant: Instant): KnownAccount | undefined {
    if (id === undefined) return screen_name === undefined ? undefined : this.#withHandle(screen_name, instant);
    const names = screen_name === undefined ? formerNames : [screen_name, ...formerNames];
    return this.#cache.load(this.#table.byStableId(id) ?? this.#withoutId(names));
  }

  /** Returns the account that had a handle at an instant, as far as is known. Others may have had it before or since. */
  #withHandle(screenName: string, instant: Instant): KnownAccount | undefined {
    const holder = this.#cache.load(this.#table.byName(screenName));
    if (holder !== undefined && watermarkOf(holder) <= instant) return holder;
    return this.#cache.load(this.#table.byFormerName(screenName, instant)) ?? holder;
  }

  /** Returns an account that has a handle of the list and no stable id yet. */
  #withoutId(names: readonly string[]): AccountRow | undefined {
    for (const name of names) {
      const row = this.#table.byName(name);
      if (row !== undefined && row.stable_id === null) return row;
    }
    return undefined;
  }
}
