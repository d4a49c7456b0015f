import { type FormerHandle, sortedHandles } from '../contract/account-state.ts';
import type { Connection } from './connection.ts';

/** The names of an account, for a search. */
export interface SearchedNames {
  readonly screen_name: string;
  /** The present display name; "" if no source gave one. */
  readonly display_name: string;
  /** Sorted by time, then by handle. */
  readonly former_handles: readonly FormerHandle[];
  /** The number of change records. */
  readonly changes: number;
}

interface Row extends Omit<SearchedNames, 'former_handles'> {
  readonly id: number;
  readonly place: number;
}

/** The number of accounts that one query reads. */
const BATCH_SIZE = 1000;
const NONE: readonly FormerHandle[] = [];

/**
 * Yields the names of all accounts. SQLite reads them from the JSON, which is faster than parsing whole profiles. Their order is
 * that of the account pages, because the histories are stored in this order.
 */
export function* searchedNames(database: Connection): Generator<SearchedNames> {
  const hasFormerHandles = database.value('SELECT EXISTS (SELECT 1 FROM former_handle)') === 1;
  const formerHandles = database.prepare<[number], FormerHandle>('SELECT handle, seen_to FROM former_handle WHERE account = ?');
  const next = database.prepare<[number, string, number], Row>(`
    SELECT account.id, place, screen_name, ifnull(records, 0) AS changes,
      iif(tail IS NULL, summary, '{' || substr(tail, 2)) ->> 'display_name' AS display_name
    FROM account INDEXED BY account_order LEFT JOIN history ON history.first_record = account.first_record
    WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?`);
  for (let rows = next.all(-1, '', BATCH_SIZE); rows.length > 0; ) {
    for (const { id, screen_name, display_name, changes } of rows) {
      const former_handles = hasFormerHandles ? sortedHandles(formerHandles.all(id)) : NONE;
      yield { screen_name, display_name, changes, former_handles };
    }
    const { place, screen_name } = rows.at(-1) ?? { place: 0, screen_name: '' };
    rows = next.all(place, screen_name, BATCH_SIZE);
  }
}
