import type { Instant } from '../../contract/instant.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { parseAccountName } from './account-names.ts';
import { HandleSpellings } from './handle-spellings.ts';

export interface FoundAccount {
  readonly screen_name: string;
  readonly by: 'handle' | 'former-handle' | 'stable-id';
}

/** An account that had a handle before its present one. */
export interface FormerHolder {
  readonly screen_name: string;
  /** The last instant at which the account is known to have had the handle. */
  readonly seen_to: Instant;
}

/** Comes after every character of a handle. */
const LAST_CHARACTER = '\u{10ffff}';

/** Finds accounts by their handles, former handles and stable ids. Every search uses an index and ignores the spelling. */
export class AccountSearch {
  readonly #byHandle: Statement<[string, string], string>;
  readonly #byStableId: Statement<[string], string>;
  readonly #formerHolders: Statement<[string], FormerHolder>;
  readonly #database: Connection;
  readonly #byPrefix: Statement<[{ from: string; to: string }], string>;

  constructor(database: Connection) {
    this.#database = database;
    this.#byHandle = database.prepareValue(
      'SELECT screen_name FROM account WHERE screen_name = ? COLLATE NOCASE ORDER BY screen_name <> ?, screen_name LIMIT 1',
    );
    this.#byStableId = database.prepareValue('SELECT screen_name FROM account WHERE stable_id = ?');
    this.#formerHolders = database.prepare(
      `SELECT screen_name, max(seen_to) AS seen_to FROM former_handle JOIN account ON account.id = account
        WHERE handle = ? GROUP BY screen_name ORDER BY seen_to DESC, screen_name`,
    );
    this.#byPrefix = database.prepareValue(`
        SELECT screen_name FROM (
          SELECT screen_name FROM account WHERE screen_name >= :from COLLATE NOCASE AND screen_name < :to COLLATE NOCASE
          UNION SELECT screen_name FROM former_handle JOIN account ON account.id = account WHERE handle >= :from AND handle < :to)
        ORDER BY screen_name COLLATE NOCASE, screen_name`);
  }

  /**
   * Returns the account that a name identifies. A handle counts before a former handle, and a former handle before a
   * stable id; `id:12` is a stable id only. Of several accounts that had a handle, the last one counts.
   */
  find(name: string): FoundAccount | undefined {
    const spellings = new HandleSpellings(this.#database);
    const current = spellings.first(name, (spelling) => this.#byHandle.get(spelling, name));
    if (current !== undefined) return { screen_name: current, by: 'handle' };
    const former = spellings.first(name, (spelling) => this.#formerHolders.get(spelling));
    if (former !== undefined) return { screen_name: former.screen_name, by: 'former-handle' };
    const owner = this.#byStableId.get(parseAccountName(name).stableId ?? '');
    return owner === undefined ? undefined : { screen_name: owner, by: 'stable-id' };
  }

  /** Returns the accounts that had a handle before their present one, the last one first. */
  formerHolders(handle: string): readonly FormerHolder[] {
    return this.#formerHolders.all(handle);
  }

  /** Returns the handles of all accounts whose handle or former handle begins with a text, sorted without regard to case. */
  withPrefix(prefix: string): readonly string[] {
    return this.#byPrefix.all({ from: prefix, to: prefix + LAST_CHARACTER });
  }
}
