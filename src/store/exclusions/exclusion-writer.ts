import { type Exclusion, encodeExclusion, handleHash, sharedHandleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { handleKey } from '../../contract/accounts/handle.ts';
import type { ConflictPolicy } from '../../contract/record.ts';
import { accountRows } from '../accounts/account-rows.ts';
import { HandleSpellings } from '../accounts/handle-spellings.ts';
import { forgetContents } from '../mirror-state.ts';
import type { Batch } from '../writing/batch.ts';
import type { Outcome } from '../writing/outcome.ts';
import { removeAccount } from './delete-account.ts';
import { forgetNames } from './mirror-names.ts';

/** Writes the exclusions of an export into a batch. */
export class ExclusionWriter {
  readonly #batch: Batch;
  readonly #policy: ConflictPolicy;
  /** The keys of the names of accounts that were removed, also of names that are not excluded. */
  readonly #removed = new Set<string>();
  #hasAny = false;
  #hasHashes = false;

  constructor(batch: Batch, policy: ConflictPolicy) {
    this.#batch = batch;
    this.#policy = policy;
  }

  /**
   * Adds an exclusion, or extends those of the same account. It is a conflict if the account is in the store. The policy
   * `keep` then keeps the account, and `replace` removes it.
   */
  add(exclusion: Exclusion): Outcome {
    this.#hasAny = true;
    return this.#batch.guard(() => {
      const accounts = this.#accountsOf(exclusion);
      if (accounts.length > 0 && this.#policy === 'keep') return 'kept';
      if (accounts.length > 0 && this.#policy === 'fail') {
        const [found, subject] = [encodeExclusion(exclusion), `account ${accounts.join(', ')}`];
        const hint = 'remove the account with --on-conflict replace, or keep it with --on-conflict keep';
        return { subject, stored: 'an account that is not excluded', found, hint };
      }
      const spellings = new HandleSpellings(this.#batch.database);
      const removed = accounts.flatMap((name) => removeAccount(this.#batch, spellings, name) ?? []);
      for (const name of removed.flatMap(({ screen_name, former_handles }) => [screen_name, ...former_handles]))
        if (spellings.holders(name).every((holder) => accounts.includes(holder))) this.#removed.add(handleKey(name));
      // versions at a target can have the account under names that are not in the exclusion
      const more = removed.flatMap(({ screen_name, former_handles, recordIds }) =>
        [screen_name, ...former_handles]
          .filter((name) => !exclusion.handles.includes(handleHash(name)))
          .flatMap((name) => recordIds.map((id) => sharedHandleHash(name, id))),
      );
      const isChanged = this.#write({ ...exclusion, handles: [...exclusion.handles, ...more] }, accounts.length > 0);
      if (accounts.length > 0 || isChanged) forgetContents(this.#batch.database);
      if (accounts.length > 0) return 'replaced';
      return isChanged ? 'added' : 'same';
    });
  }

  /** Replaces the names of removed accounts in what the store knows of services. Call it once, after all items. */
  forgetNames(): void {
    const { database, exclusions } = this.#batch;
    if (this.#hasAny) this.#batch.guard(() => forgetNames(database, exclusions, (handle) => this.#removed.has(handleKey(handle))));
  }

  /** @param hasRemoved whether accounts were removed from this store: the time of the exclusion then is the time of this removal */
  #write(exclusion: Exclusion, hasRemoved: boolean): boolean {
    const { exclusions } = this.#batch;
    const known = exclusions.having(exclusion)[0];
    const time = hasRemoved ? exclusions.timeOfRemoval(exclusion.excluded_at) : exclusion.excluded_at;
    this.#batch.markMetadataChanged();
    if (known === undefined) {
      exclusions.add({ ...exclusion, excluded_at: time }, !hasRemoved);
      return true;
    }
    exclusions.extend(known.id, exclusion);
    if (hasRemoved) exclusions.setRemoved(known.id, time);
    const extended = exclusions.having(exclusion)[0];
    return extended === undefined || encodeExclusion(extended) !== encodeExclusion(known);
  }

  #accountsOf({ handles, stable_ids }: Exclusion): string[] {
    if (!this.#hasHashes) this.#hashAccounts();
    const query = 'SELECT screen_name FROM temp.account_hash JOIN account ON account.id = account_hash.account WHERE hash = ?';
    return [...new Set([...handles, ...stable_ids].flatMap((hash) => this.#batch.database.values<string>(query, hash)))];
  }

  /** Hashes the names of all accounts into a temporary table, once for all exclusions. */
  #hashAccounts(): void {
    const { database } = this.#batch;
    database.exec('CREATE TEMP TABLE account_hash (hash TEXT NOT NULL, account INTEGER NOT NULL)');
    const insert = database.prepare<[string, number]>('INSERT INTO temp.account_hash (hash, account) VALUES (?, CAST(? AS INTEGER))');
    for (const { id, screen_name, stable_id } of accountRows(database, 'id', ['screen_name', 'stable_id'])) {
      insert.run(handleHash(screen_name), id);
      if (stable_id !== null) insert.run(stableIdHash(stable_id), id);
    }
    database.exec('CREATE INDEX temp.account_hash_hash ON account_hash (hash)');
    this.#hasHashes = true;
  }
}
