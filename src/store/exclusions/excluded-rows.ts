import { type Exclusion, handleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { accountRows } from '../accounts/account-rows.ts';
import { openStore } from '../database/open-store.ts';
import { wrapErrors } from '../database/store-error.ts';

/** What the rows of a store have of the accounts of exclusions. */
export interface ExcludedRows {
  /** How many of these accounts it has. */
  readonly accounts: number;
  /** Their handles that an account of the store had before, which is another account. */
  readonly formerHandles: readonly string[];
}

/**
 * Looks for the accounts of exclusions in the rows of a store.
 * @throws Failure no-store, bad-store, store-older, store-newer, store-busy
 */
export function excludedRows(path: string, exclusions: readonly Exclusion[]): ExcludedRows {
  const hashes = new Set(exclusions.flatMap(({ handles, stable_ids }) => [...handles, ...stable_ids]));
  return wrapErrors(path, () => {
    const database = openStore(path, 'read');
    try {
      let accounts = 0;
      for (const { screen_name, stable_id } of accountRows(database, 'id', ['screen_name', 'stable_id']))
        if (hashes.has(handleHash(screen_name)) || (stable_id !== null && hashes.has(stableIdHash(stable_id)))) accounts += 1;
      const former = database.values<string>('SELECT DISTINCT handle FROM former_handle');
      return { accounts, formerHandles: former.filter((handle) => hashes.has(handleHash(handle))) };
    } finally {
      database.close();
    }
  });
}
