import { type Exclusion, handleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { accountRows } from '../accounts/account-rows.ts';
import { type AccountName, parseAccountName } from '../accounts/account-search.ts';
import { withConnection } from '../database/open-store.ts';
import { forgetExcludedKeys } from '../mirror-state.ts';
import { Store } from '../store.ts';
import { Batch } from '../writing/batch.ts';
import type { ListedExclusion } from './exclusions.ts';
import { mirrorNames } from './mirror-names.ts';

/**
 * @param names if not empty, only the exclusions of the accounts with these names
 * @throws Failure no-account if a name is not excluded, and those of stores
 */
export function exclusionsOf(path: string, names: readonly string[]): readonly NamedExclusion[] {
  const store = Store.open(path);
  try {
    return selected(path, store.exclusions(), names);
  } finally {
    store.close();
  }
}

/**
 * Ends the exclusion of accounts, so that sources can bring them in again. What was removed stays removed.
 * @throws Failure no-account if a name is not excluded, and those of stores
 */
export async function endExclusions(path: string, names: readonly string[]): Promise<readonly NamedExclusion[]> {
  const batch = new Batch(path, 'by account');
  try {
    const ended = batch.guard(() => {
      const chosen = selected(path, batch.exclusions.all(), names);
      for (const exclusion of chosen) {
        batch.exclusions.remove(exclusion.id);
        forgetExcludedKeys(batch.database, exclusion.handles);
      }
      return chosen;
    });
    batch.markMetadataChanged();
    await batch.commit();
    return ended;
  } finally {
    batch.end();
  }
}

/** An exclusion, with those of the given names that it has. */
export interface NamedExclusion extends ListedExclusion {
  readonly names: readonly string[];
}

function selected(path: string, all: readonly ListedExclusion[], names: readonly string[]): readonly NamedExclusion[] {
  const named = all.map((one) => ({ ...one, names: names.filter((name) => hasName(one, parseAccountName(name))) }));
  if (names.length === 0) return named;
  for (const name of names) if (!named.some((one) => one.names.includes(name))) throw notExcluded(path, name);
  return named.filter((one) => one.names.length > 0);
}

function hasName({ handles, stable_ids }: ListedExclusion, { handle, stableId }: AccountName): boolean {
  return (
    (handle !== undefined && handles.includes(handleHash(handle))) ||
    (stableId !== undefined && stable_ids.includes(stableIdHash(stableId)))
  );
}

function notExcluded(path: string, name: string): Failure {
  return new Failure('no-account', `${name} is not excluded from ${path}`, {
    place: { file: path },
    expected: 'a handle or a stable id of a removed account',
    found: name,
    hint: hint`check the name, or run ${suggested('exclusions')} to list all exclusions (without names)`,
  });
}

/** What the rows of a store have of the accounts of exclusions. */
export interface ExcludedRows {
  /** Whether it has one of these accounts, or the name of one that a mirror has read. */
  readonly hasAccount: boolean;
  /** Their handles that an account of the store had before, which is another account. */
  readonly formerHandles: readonly string[];
}

/**
 * Looks for the accounts of exclusions in the rows of a store.
 * @throws Failure no-store, bad-store, store-older, store-newer, store-busy
 */
export function excludedRows(path: string, exclusions: readonly Exclusion[]): ExcludedRows {
  const hashes = new Set(exclusions.flatMap(({ handles, stable_ids }) => [...handles, ...stable_ids]));
  return withConnection(path, 'read', (database) => {
    let hasAccount = false;
    for (const { screen_name, stable_id } of accountRows(database, 'id', ['screen_name', 'stable_id']))
      if (hashes.has(handleHash(screen_name)) || (stable_id !== null && hashes.has(stableIdHash(stable_id)))) hasAccount = true;
    for (const { handle } of mirrorNames(database)) if (hashes.has(handleHash(handle))) hasAccount = true;
    const former = database.values<string>('SELECT DISTINCT handle FROM former_handle');
    return { hasAccount, formerHandles: former.filter((handle) => hashes.has(handleHash(handle))) };
  });
}
