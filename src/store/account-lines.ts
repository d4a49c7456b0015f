import type { Connection, Statement } from './connection.ts';
import { storedJson } from './damaged.ts';
import { NO_RECORD } from './schema.ts';

/** An account in a list. */
export interface AccountLine {
  readonly screen_name: string;
  readonly display_name: string;
  /** The number of change records. */
  readonly changes: number;
  /** The times of the first and the last record, as they are published; null: no records. */
  readonly first_change: string | null;
  readonly last_change: string | null;
}

/** Consecutive accounts of a list. */
export interface AccountLineRun {
  /** The newest revision that changed one of them. */
  readonly revision: number;
  readonly read: () => AccountLine[];
}

interface Place {
  readonly place: number;
  readonly screen_name: string;
}

interface Row {
  readonly screen_name: string;
  readonly changes: number;
  readonly profile: string;
  /** The JSON of the account with its records, newest first; null: no records. */
  readonly head: Buffer | null;
}

const DATE = '"first_encountered_date":"';

const IN_ORDER = 'FROM account INDEXED BY account_order WHERE (place, screen_name) >= (?, ?) ORDER BY place, screen_name LIMIT +?';

/** Reads the accounts in the order of the account pages: by their first record, and accounts without records by name. */
export class AccountLines {
  readonly #path: string;
  readonly #after: Statement<[number, string, number], Place>;
  readonly #revision: Statement<[number, string, number], { readonly revision: number }>;
  readonly #lines: Statement<[number, string, number], Row>;

  /** The first account that was not taken. */
  #next: Place | undefined;

  /** @param skip the number of accounts before the first one */
  constructor(database: Connection, skip: number) {
    this.#path = database.path;
    this.#after = database.prepare(`SELECT place, screen_name ${IN_ORDER.replace('+?', '1 OFFSET +?')}`);
    this.#next = this.#after.get(-1, '', skip);
    this.#revision = database.prepare(`SELECT max(revision) AS revision FROM (SELECT revision ${IN_ORDER})`);
    this.#lines = database.prepare(`
      SELECT line.screen_name, ifnull(records, 0) AS changes, CAST(head AS BLOB) AS head,
        ifnull('{' || substr(tail, 2), (SELECT summary FROM account WHERE account.screen_name = line.screen_name)) AS profile
      FROM (SELECT place, screen_name ${IN_ORDER}) AS line
        LEFT JOIN history ON history.first_record = nullif(line.place, ${NO_RECORD}) ORDER BY line.place, line.screen_name`);
  }

  /** Takes the next accounts: at most as many as requested. */
  take(accounts: number): AccountLineRun {
    if (this.#next === undefined) return { revision: 0, read: () => [] };
    const { place, screen_name } = this.#next;
    this.#next = this.#after.get(place, screen_name, accounts);
    return {
      revision: this.#revision.get(place, screen_name, accounts)?.revision ?? 0,
      read: () => this.#lines.all(place, screen_name, accounts).map((row) => this.#line(row)),
    };
  }

  #line({ screen_name, changes, profile, head }: Row): AccountLine {
    const { display_name } = storedJson(this.#path, `the profile of ${screen_name}`, profile);
    return { screen_name, display_name, changes, first_change: lastTime(head), last_change: firstTime(head) };
  }
}

/** Returns the first time in the JSON of records. A text cannot contain the name of the field: its quotes are escaped. */
function firstTime(records: Buffer | null): string | null {
  return records === null ? null : timeAt(records, records.indexOf(DATE));
}

function lastTime(records: Buffer | null): string | null {
  return records === null ? null : timeAt(records, records.lastIndexOf(DATE));
}

function timeAt(records: Buffer, place: number): string | null {
  const start = place + DATE.length;
  return place === -1 ? null : records.toString('latin1', start, records.indexOf('"', start));
}
