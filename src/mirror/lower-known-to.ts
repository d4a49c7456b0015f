import type { Batch } from '../store/writing/batch.ts';

/**
 * Dates each profile by a record that the service still has, if it was dated by a removed one: otherwise the profile that
 * the service shows now would be the older one. Runs in the caller's batch.
 */
export function lowerKnownTo(batch: Batch, gone: ReadonlySet<unknown>): void {
  const lower = batch.database
    .prepare<[number, number, number], string>(
      `UPDATE account SET known_to = ifnull((SELECT max(id) FROM record WHERE record.account = account.id AND record.id < ?), 0)
        WHERE screen_name = (SELECT json ->> 'account' FROM record WHERE record.id = ?) AND known_to = ? RETURNING screen_name`,
    )
    .pluck();
  const ids = [...gone].filter((key) => typeof key === 'number');
  // the newest first: the record below it may be removed too
  for (const id of ids.toSorted((one, other) => other - one)) {
    for (const screenName of lower.all(id, id, id)) batch.markChanged(screenName);
  }
}
