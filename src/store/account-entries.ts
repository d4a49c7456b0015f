import type { AccountEntry } from '../contract/account-entry.ts';
import { type FormerHandle, sortedHandles } from '../contract/account-state.ts';
import type { Connection, Statement } from './connection.ts';
import { storedJson } from './damaged.ts';

/** An account without the times of its records. A search reads these only for the accounts that it finds. */
export interface AccountNames extends Omit<AccountEntry, 'first_change' | 'last_change'> {
  /** The id of the first record; null: no records. */
  readonly first_record: number | null;
}

interface NamesRow {
  readonly id: number;
  readonly screen_name: string;
  readonly stable_id: string | null;
  readonly summary: string;
  /** The published profile: the tail of the account in `history`; null: no records. */
  readonly tail: string | null;
  readonly changes: number;
  readonly first_record: number | null;
}

interface ChangeTimes {
  readonly first_change: string | null;
  readonly last_change: string | null;
}

/** The number of rows that one query reads. */
const BATCH_SIZE = 1000;
const NAMES = `SELECT account.id, screen_name, stable_id, summary, tail, ifnull(records, 0) AS changes, account.first_record
  FROM account LEFT JOIN history ON history.first_record = account.first_record`;

/** Reads the entries of accounts. It reads only the first and the last record of an account. */
export class AccountEntries {
  readonly #database: Connection;
  readonly #formerHandles: Statement<[number], FormerHandle>;
  readonly #changeTimes: Statement<[{ first: number; name: string }], ChangeTimes>;
  readonly #byName: Statement<[string], NamesRow>;

  constructor(database: Connection) {
    this.#database = database;
    this.#formerHandles = database.prepare('SELECT handle, seen_to FROM former_handle WHERE account = ?');
    this.#changeTimes = database.prepare(`
      SELECT (SELECT first_encountered_date FROM record WHERE id = :first) AS first_change,
        (SELECT first_encountered_date FROM record WHERE account = :name ORDER BY id DESC LIMIT 1) AS last_change`);
    this.#byName = database.prepare(`${NAMES} WHERE screen_name = ?`);
  }

  /** Yields the names of all accounts, sorted by handle without regard to case. */
  *names(): Generator<AccountNames> {
    // the first condition is the one that the index can use
    const next = this.#database.prepare<[string, string, string, number], NamesRow>(`${NAMES}
      WHERE screen_name >= ? COLLATE NOCASE AND (screen_name > ? COLLATE NOCASE OR screen_name > ?)
      ORDER BY screen_name COLLATE NOCASE, screen_name LIMIT +?`);
    for (let rows = next.all('', '', '', BATCH_SIZE); rows.length > 0; ) {
      for (const row of rows) yield this.#namesIn(row);
      const last = rows.at(-1)?.screen_name ?? '';
      rows = next.all(last, last, last, BATCH_SIZE);
    }
  }

  /** Returns the entry of an account. */
  entry({ first_record, ...names }: AccountNames): AccountEntry {
    const times = first_record === null ? undefined : this.#changeTimes.get({ first: first_record, name: names.screen_name });
    return { ...names, ...(times ?? { first_change: null, last_change: null }) };
  }

  /** Returns the entry of the account with exactly this handle. */
  entryOf(screenName: string): AccountEntry | undefined {
    const row = this.#byName.get(screenName);
    return row === undefined ? undefined : this.entry(this.#namesIn(row));
  }

  #namesIn({ id, summary, tail, ...names }: NamesRow): AccountNames {
    const json = tail === null ? summary : `{${tail.slice(1)}`;
    return {
      ...names,
      display_name: storedJson(this.#database.path, `the profile of ${names.screen_name}`, json).display_name,
      former_handles: sortedHandles(this.#formerHandles.all(id)),
    };
  }
}
