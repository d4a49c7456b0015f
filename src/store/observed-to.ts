import type { Instant } from '../contract/instant.ts';
import type { Connection } from './connection.ts';

/** Returns the time of the newest observation in the store; undefined if there is none. */
export function newestObservation(database: Connection): Instant | undefined {
  const newest = database.value('SELECT max(observed_to) FROM account');
  return typeof newest === 'number' ? newest : undefined;
}
