import type { AccountState, FormerHandle } from '../contract/account-state.ts';
import { sortedHandles } from '../contract/account-state.ts';
import type { Instant } from '../contract/instant.ts';
import { DATA_TYPES } from '../contract/record.ts';
import type { Connection, Statement } from './connection.ts';
import { storedJson } from './damaged.ts';
import { bitOf } from './known-account.ts';

/** The columns of an account that cannot be derived. */
export interface StateRow {
  readonly id: number;
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
  readonly stable_id: string | null;
  readonly observed_to: Instant | null;
  readonly observed_fields: number;
}

export const STATE_COLUMNS = 'id, screen_name, identity, summary, known_to, stable_id, observed_to, observed_fields';

/** Reads the facts about accounts that the store cannot derive from records. */
export class AccountStates {
  readonly #database: Connection;
  readonly #formerHandles: Statement<[number], FormerHandle>;

  constructor(database: Connection) {
    this.#database = database;
    this.#formerHandles = database.prepare('SELECT handle, seen_to FROM former_handle WHERE account = ?');
  }

  of(row: StateRow): AccountState {
    return {
      ...storedJson(this.#database.path, `the account ${row.screen_name}`, row.identity),
      stable_id: row.stable_id,
      observed_to: row.observed_to,
      observed_fields: DATA_TYPES.filter((type) => (row.observed_fields & bitOf(type)) !== 0),
      former_handles: sortedHandles(this.#formerHandles.all(row.id)),
      profile: storedJson(this.#database.path, `the profile of ${row.screen_name}`, row.summary),
      profile_record: row.known_to,
    };
  }

  /** Yields the states of all accounts, sorted by screen name. */
  *all(): Generator<AccountState> {
    const next = this.#database.prepare<[string, number], StateRow>(
      `SELECT ${STATE_COLUMNS} FROM account WHERE screen_name > ? ORDER BY screen_name LIMIT +?`,
    );
    for (let rows = next.all('', BATCH_SIZE); rows.length > 0; rows = next.all(rows.at(-1)?.screen_name ?? '', BATCH_SIZE)) {
      for (const row of rows) yield this.of(row);
    }
  }
}

/** The number of rows that one query reads. */
const BATCH_SIZE = 1000;
