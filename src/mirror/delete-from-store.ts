import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import type { Collection } from '../contract/pages/collection.ts';
import { forgetContents, type MirrorState } from '../store/mirror-state.ts';
import type { Batch } from '../store/writing/batch.ts';

/**
 * Deletes from the store the items that only this service had, and that it no longer has. Runs in the caller's batch.
 * @param maxDeletes the maximum number of items to delete
 * @throws Failure too-many-deletes
 */
export function deleteGone(batch: Batch, memory: MirrorState, maxDeletes: number): { readonly records: number; readonly accounts: number } {
  const goneOnlyHere = (collection: Collection) => memory.gone(collection).filter((key) => !memory.isElsewhere(collection, key));
  const [records, accounts] = [goneOnlyHere('data'), goneOnlyHere('account')];
  if (records.length + accounts.length > maxDeletes) {
    throw new Failure(
      'too-many-deletes',
      `the service no longer has ${plural(records.length, 'record')} and ${plural(accounts.length, 'account')}`,
      {
        expected: `at most ${maxDeletes} deletes from the store`,
        found: `${records.length + accounts.length}`,
        hint: 'check that the service is complete; then allow more with --max-delete, or leave out --delete; nothing was changed, and the next run reads only what is new',
      },
    );
  }
  let removed = 0;
  for (const id of records) {
    const name = batch.database.value<string>("SELECT json ->> 'account' FROM record WHERE id = ?", id);
    if (name !== undefined) {
      batch.deleteRecord(name, Number(id));
      removed += 1;
    }
    memory.clearGone('data', id);
  }
  for (const name of accounts) {
    batch.markChanged(String(name));
    // an account of which nothing is known is deleted when the batch ends
    batch.database.run('UPDATE account SET known_to = NULL WHERE screen_name = ?', name);
    memory.clearGone('account', name);
  }
  // an item that comes back on a page with an ETag that is known would not be read
  if (records.length + accounts.length > 0) forgetContents(batch.database);
  return { records: removed, accounts: accounts.length };
}

/**
 * Dates each profile by a record that the service still has, if it was dated by a removed one: otherwise the profile that
 * the service shows now would be the older one. Runs in the caller's batch.
 */
export function lowerKnownTo(batch: Batch, gone: ReadonlySet<unknown>): void {
  const lower = `UPDATE account SET known_to = ifnull((SELECT max(id) FROM record WHERE record.account = account.id AND record.id < :id), 0)
    WHERE screen_name = (SELECT json ->> 'account' FROM record WHERE record.id = :id) AND known_to = :id RETURNING screen_name`;
  const ids = [...gone].filter((key) => typeof key === 'number');
  // the newest first: the record below it may be removed too
  for (const id of ids.toSorted((one, other) => other - one)) {
    for (const screenName of batch.database.values<string>(lower, { id })) batch.markChanged(screenName);
  }
}
