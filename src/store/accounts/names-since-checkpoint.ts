import type { Connection } from '../database/connection.ts';
import { feedEdge } from '../feed/feed-blocks.ts';

/** The largest distance between two checkpoints, in records: the names of fewer fit in `site.js`. */
const MAX_RECORDS = 4096;

/**
 * Returns the number of the oldest records at the newest checkpoint: the lists by name and the search index show the names of these. At most
 * one of 64 records is newer. So most new names do not change these files. The same number of records gives the same checkpoint.
 */
export function checkpointOf(records: number): number {
  let every = 1;
  while (every < MAX_RECORDS && every * 128 <= records) every *= 2;
  return records - (records % every);
}

/** An account with records after the checkpoint. */
export interface NewerAccount {
  readonly id: number;
  readonly screen_name: string;
  readonly display_name: string;
  /** Its display name and the number of its records at the checkpoint. A new account had no records. */
  readonly older_name: string;
  readonly older_records: number;
}

/** Returns the accounts with records after the checkpoint, the one with the newest record first. @param records the number of all records */
export function accountsSinceCheckpoint(database: Connection, records: number): readonly NewerAccount[] {
  const edge = feedEdge(database, records - checkpointOf(records));
  // the + keeps SQLite from reading the whole index of the records by account
  return database
    .prepare<[number], NewerAccount>(
      `SELECT account.id, screen_name, listed_name AS display_name, listed_records - newer AS older_records,
          iif(first_name IS NULL, listed_name, ifnull((SELECT json ->> 'text' FROM record
            WHERE account = number AND id < first_name AND json ->> 'data_type' = 'Name' ORDER BY id DESC LIMIT 1), '')) AS older_name
        FROM (SELECT account AS number, count(*) AS newer, max(id) AS newest, min(iif(json ->> 'data_type' = 'Name', id, NULL)) AS first_name
          FROM record WHERE id >= ? GROUP BY +account) JOIN account ON account.id = number
        ORDER BY newest DESC`,
    )
    .all(edge)
    .map((account) => ({ ...account, older_name: account.older_name.toWellFormed() }));
}
