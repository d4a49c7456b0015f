import type { Connection } from '../database/connection.ts';

/** An account was seen lately if its latest observation is at most 10 days, in microseconds, before the newest one of the store. */
const LATELY = 10 * 86_400_000_000;

/** `last_seen` as it follows from the times of all observations. */
const DERIVED = `iif(observed_to < (SELECT max(observed_to) FROM account) - ${LATELY}, observed_to, NULL)`;

/** Derives `last_seen` of all accounts. Those for which it changes become stale, because their HTML pages say it. */
export function deriveLastSeen(database: Connection): void {
  database.exec(`UPDATE account SET last_seen = ${DERIVED}, revision = NULL WHERE last_seen IS NOT ${DERIVED}`);
}

/** Returns how many accounts have another `last_seen` than the one that follows from the observations. */
export function countWrongLastSeen(database: Connection): number {
  return Number(database.value(`SELECT count(*) FROM account WHERE last_seen IS NOT ${DERIVED}`));
}
