import { type AccountRecords, type DerivedHistory, historyOf, NO_RECORDS, SELECT_RECORDS } from '../accounts/account-json.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';
import type { WindowAccount } from './window-histories.ts';

/** A row of `temp.stale` with its account. */
export interface StaleAccount extends WindowAccount {
  readonly id: number;
  /** The present first record, and the first record when the account was last derived. */
  readonly first: number | null;
  readonly derived_first: number | null;
  readonly is_new: 0 | 1;
}

export interface DeriveStep {
  /** The caller must wait for it, if it is set. */
  readonly ready?: Promise<unknown>;
  /** The next account, if one is derived. */
  readonly derived?: { readonly account: StaleAccount; readonly history: DerivedHistory };
}

/** The number of rows that one query reads. */
const BATCH_SIZE = 250;

/** Yields the rows of `temp.stale` from `first` to before `end`, with their accounts. */
export function* staleAccounts(database: Connection, first = 1, end: number = Number.MAX_SAFE_INTEGER): Generator<StaleAccount> {
  const query = `
    SELECT stale.rowid AS row, account.id, screen_name, identity, summary, known_to, first, first_record AS derived_first,
      newest, records, digest IS NULL AS is_new
    FROM temp.stale CROSS JOIN account USING (id) WHERE stale.rowid > ? AND stale.rowid < ? ORDER BY stale.rowid LIMIT +?`;
  for (const rows of database.batches<StaleAccount>(query, [first - 1, end], ({ row }) => [row, end], BATCH_SIZE)) yield* rows;
}

/**
 * Derives the history of each stale account: searches its records in the feed, and checks them against
 * their checksums.
 * @throws Failure bad-store
 */
export function* eachHistory(database: Connection): Generator<DeriveStep> {
  const gather = database.prepare<[string], AccountRecords>(SELECT_RECORDS);
  const wrong = database.prepareValue<[string], number>('SELECT id FROM record WHERE account = ? AND crc32(json) IS NOT checksum LIMIT 1');
  for (const account of staleAccounts(database)) {
    const damage = wrong.get(account.screen_name);
    if (damage !== undefined) throw damaged(database.path, `record ${damage} of ${account.screen_name} does not match its checksum`);
    yield { derived: { account, history: historyOf(database.path, account, gather.get(account.screen_name) ?? NO_RECORDS) } };
  }
}
