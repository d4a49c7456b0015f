import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Exclusion, handleHash, sharedHandleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { type OnProgress, Pauses, stopped } from '../../contract/event-loop-pauses.ts';
import { convertErrors, Failure } from '../../contract/failure.ts';
import { draftsIn } from '../../contract/files/draft-file.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { accountsNamed, parseAccountName } from '../accounts/account-search.ts';
import { HandleSpellings } from '../accounts/handle-spellings.ts';
import { withConnection } from '../database/open-store.ts';
import { forgetContents } from '../mirror-state.ts';
import { Store } from '../store.ts';
import { Batch, type CommitPhase } from '../writing/batch.ts';
import { type RemovedAccount, removeAccount } from './delete-account.ts';
import { eraseFreed, mustErase } from './erase-freed-bytes.ts';
import { type Exclusions, isIdentifying } from './exclusions.ts';
import { findMentions, type Mentions } from './mentions.ts';
import { forgetNames } from './mirror-names.ts';

export interface RemoveOptions {
  /** The present time: UTC, with a resolution of one second. */
  readonly now: string;
  /** Whether to roll everything back, so that the store is unchanged. */
  readonly isDryRun: boolean;
  /** Whether to exclude a name that no account in the store has. */
  readonly allowUnknown: boolean;
  /**
   * Whether the names are searched in copies. If one of them is of a removed account, the handles beside it can be others of that account.
   * Then a handle removes no account that has or had it.
   */
  readonly isSearch?: boolean;
  /** Stops the removal: nothing is removed. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<CommitPhase> | undefined;
}

export interface RemoveSummary {
  /** The accounts that were in the store. */
  readonly removed: readonly Omit<RemovedAccount, 'recordIds' | 'serviceIds' | 'isNew'>[];
  /** Names of no account in the store that are excluded now. */
  readonly excluded: readonly string[];
  /** Names that were excluded before. */
  readonly known: readonly string[];
  /** Former handles that are not excluded, because another account has them now. */
  readonly shared: readonly string[];
  /** Other accounts that have or had one of the handles. They stay. */
  readonly namesakes: readonly string[];
  /** Which records of other accounts mention a removed handle, such as `@nina_k`. They stay. */
  readonly mentions: Mentions;
}

/**
 * Removes accounts from a store and excludes them: no source brings them back. Everything is removed or nothing. The
 * freed bytes are erased from the file last.
 * @param names handles, stable ids or former handles, see {@link parseAccountName}
 * @throws Failure no-account, ambiguous-account, stopped, and those of stores
 */
export async function removeAccounts(path: string, names: readonly string[], options: RemoveOptions): Promise<RemoveSummary> {
  // also derives stale data, and refuses a file that is not a store. An unknown account may be excluded before there is a store
  if (!options.allowUnknown || existsSync(path)) Store.open(path).close();
  const batch = new Batch(path, 'by account', options.isDryRun);
  let summary: RemoveSummary;
  try {
    summary = batch.guard(() => remove(batch, names, options));
    if (!options.isDryRun) await batch.commit(new Pauses(options.signal, 'nothing was removed'), options.onProgress);
  } finally {
    batch.end();
  }
  // those that an interrupted removal has freed, too
  const erase = () => withConnection(path, 'write', (database) => mustErase(database) && eraseFreed(database));
  if (!options.isDryRun) convertErrors(erase, (error) => withRemoved(error, summary, path));
  return summary;
}

/** Adds the handles that a run has removed to an error after its commit. The store has only their hashes then. */
export function withRemoved(error: unknown, summary: RemoveSummary, path: string): unknown {
  const { removed } = summary;
  if (removed.length === 0) return error;
  const accounts = removed.map(({ screen_name, stable_id, former_handles }) =>
    [screen_name, ...former_handles, ...(stable_id === null ? [] : [`id:${stable_id}`])].join(', '),
  );
  const note = `write down the names that this run has removed from ${path}, because the store has only their hashes now: ${accounts.join('; ')}`;
  if (error instanceof Error && error.name === 'AbortError') return withRemoved(stopped('the account is removed'), summary, path);
  if (!(error instanceof Failure)) return error;
  return error.with({ hint: error.hintParts === undefined ? note : [...[error.hintParts].flat(), `; ${note}`] });
}

function remove(batch: Batch, names: readonly string[], options: RemoveOptions): RemoveSummary {
  const { database, exclusions } = batch;
  const removed: RemovedAccount[] = [];
  const excluded: string[] = [];
  const known: string[] = [];
  const shared: string[] = [];
  const spellings = new HandleSpellings(database);
  const time = exclusions.timeOfRemoval(options.now);
  const isSearch = options.isSearch && names.some((name) => isExcluded(exclusions, name));
  const staying: string[] = [];
  for (const name of names) {
    const named = accountsNamed(database, name);
    const isSearched = isSearch && (parseAccountName(name).handle !== undefined || isExcluded(exclusions, name));
    const accounts = (isSearched ? [] : named).flatMap((screenName) => removeAccount(batch, spellings, screenName) ?? []);
    removed.push(...accounts);
    if (accounts.length > 0) {
      const handles = new Set(accounts.flatMap(({ screen_name, former_handles }) => [screen_name, ...former_handles]));
      const others = [...handles].filter((handle) => isHeldByOther(spellings, handle, accounts));
      for (const handle of others) handles.delete(handle);
      shared.push(...others);
      const unclear = [...others, ...[...handles].filter((handle) => !isIdentifying(handle))];
      exclusions.add(exclusionOf(accounts, [...handles].filter(isIdentifying), unclear, time), false);
    } else if (isExcluded(exclusions, name)) {
      known.push(name);
    } else if (isSearched && named.length > 0) {
      staying.push(...named);
    } else if (options.allowUnknown) {
      const { handle, stableId } = parseAccountName(name);
      const keys = {
        handles: handle === undefined ? [] : [handleHash(handle)],
        stable_ids: stableId === undefined ? [] : [stableIdHash(stableId)],
      };
      exclusions.add({ excluded_at: time, ...keys, records: [] }, true);
      excluded.push(name);
    } else {
      throw noAccount(database.path, name);
    }
    batch.markMetadataChanged();
  }
  // also those of accounts that were removed before: an import could add them after the removal
  forgetNames(database, exclusions);
  forgetContents(database);
  const handles = removed.flatMap(({ screen_name, former_handles }) => [screen_name, ...former_handles]);
  const knownHandles = known.flatMap((name) => parseAccountName(name).handle ?? []);
  const holders = new Set([...staying, ...[...handles, ...knownHandles].flatMap((handle) => spellings.formerHolders(handle))]);
  return {
    removed: removed.map(({ recordIds: _, serviceIds: __, isNew: ___, ...rest }) => rest),
    excluded,
    known,
    shared,
    namesakes: [...holders].filter((name) => !removed.some(({ screen_name }) => screen_name === name)).toSorted(),
    mentions: findMentions(database, handles),
  };
}

/** @param unclear handles that another account has, too. Versions at a target can still have the removed account under them */
function exclusionOf(accounts: readonly RemovedAccount[], handles: readonly string[], unclear: readonly string[], time: string): Exclusion {
  const records = accounts.flatMap(({ recordIds }) => recordIds);
  return {
    excluded_at: time,
    handles: [...handles.map(handleHash), ...unclear.flatMap((handle) => records.map((id) => sharedHandleHash(handle, id)))],
    stable_ids: accounts.flatMap(({ stable_id }) => (stable_id === null ? [] : [stableIdHash(stable_id)])),
    records: accounts.flatMap(({ serviceIds }) => serviceIds),
  };
}

/** Whether an account that is not removed has a handle now. */
function isHeldByOther(spellings: HandleSpellings, handle: string, removed: readonly RemovedAccount[]): boolean {
  return spellings.holders(handle).some((holder) => !removed.some(({ screen_name }) => screen_name === holder));
}

function isExcluded(exclusions: Exclusions, name: string): boolean {
  const { handle, stableId } = parseAccountName(name);
  return (handle !== undefined && exclusions.hasHandle(handle)) || (stableId !== undefined && exclusions.hasStableId(stableId));
}

/**
 * Returns the paths of files beside a store that can have its data: those whose names begin with its name, such as a rejects file or a
 * damaged store, and drafts of exports and archives. Leaves out the files that SQLite uses.
 */
export function filesBeside(store: string): string[] {
  const [folder, name] = [dirname(store), basename(store)];
  const isBeside = (entry: string) => /^[-.]/.test(entry.slice(name.length)) && !/^-(wal|shm|journal)$/.test(entry.slice(name.length));
  const named = (existsSync(folder) ? readdirSync(folder) : []).filter((entry) => entry.startsWith(name) && isBeside(entry));
  return [...named.map((entry) => join(folder, entry)), ...draftsIn(folder).map(({ path }) => path)].toSorted();
}

function noAccount(path: string, name: string): Failure {
  return new Failure('no-account', `no account in ${path} has the name ${name}`, {
    place: { file: path },
    expected: 'a handle, a former handle or a stable id of an account in the store',
    found: name,
    hint: hint`check the name with ${suggested('accounts')}, or exclude it anyway with --allow-unknown`,
  });
}
