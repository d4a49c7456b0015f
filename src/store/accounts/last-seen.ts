import { DAY_MICROS, type Instant } from '../../contract/instant.ts';
import type { Connection } from '../database/connection.ts';

/** An account was seen lately if its latest observation is at most 10 days, in microseconds, before the newest one of the store. */
const LATELY = 10 * DAY_MICROS;

/** The `last_seen` of an account that was seen lately: no night changes it. No observation has this time. */
export const SEEN_LATELY = -1;

/** `last_seen` as it follows from the times of all observations. */
const DERIVED = `CASE WHEN observed_to < (SELECT max(observed_to) FROM account) - ${LATELY} THEN observed_to
  WHEN observed_to IS NOT NULL THEN ${SEEN_LATELY} END`;

/** Derives `last_seen` of all accounts. Those for which it changes become stale, because their HTML pages say it. */
export function deriveLastSeen(database: Connection): void {
  database.exec(`UPDATE account SET last_seen = ${DERIVED}, revision = NULL WHERE last_seen IS NOT ${DERIVED}`);
}

/** Returns how many accounts have another `last_seen` than {@link deriveLastSeen} derives. */
export function countWrongLastSeen(database: Connection): number {
  return Number(database.value(`SELECT count(*) FROM account WHERE last_seen IS NOT ${DERIVED}`));
}

/** Returns the time of the newest observation in the store; undefined if there is none. */
export function newestObservation(database: Connection): Instant | undefined {
  const newest = database.value('SELECT max(observed_to) FROM account');
  return typeof newest === 'number' ? newest : undefined;
}

/** The newest time of an observation, and how many accounts have it. */
export interface NewestRun {
  readonly time: Instant;
  readonly accounts: number;
}

/** Returns undefined without an observation, and in a stream, where most accounts have a time of their own. */
export function newestRun(database: Connection): NewestRun | undefined {
  const observed = 'FROM account WHERE observed_to IS NOT NULL';
  const isStream = database.value(`SELECT count(*) < 2 * count(DISTINCT observed_to) ${observed}`) === 1;
  if (isStream) return undefined;
  return database.get<NewestRun>(
    `SELECT observed_to AS time, count(*) AS accounts ${observed} GROUP BY observed_to ORDER BY observed_to DESC LIMIT 1`,
  );
}

export interface ObservedAccount {
  readonly id: number;
  readonly screen_name: string;
  readonly observed_to: Instant;
}

/** Yields the accounts that were last observed up to an instant, in the order of their rows. */
export function accountsObservedUpTo(database: Connection, instant: Instant): Generator<ObservedAccount> {
  const query = 'SELECT id, screen_name, observed_to FROM account WHERE id > ? AND observed_to <= ? ORDER BY id LIMIT +?';
  return database.rows<ObservedAccount>(query, [0, instant], ({ id }) => [id, instant]);
}
