import type { Profile } from '../contract/observation.ts';
import { AccountCache } from './account-cache.ts';
import { AccountTable } from './account-table.ts';
import { Connection } from './connection.ts';
import type { AccountHistory } from './known-account.ts';
import { setReadOnly } from './open-store.ts';

/**
 * Reads the histories of accounts from a store while another connection writes to it. Shows the last commit, so it does not see
 * what the other connection has written since.
 */
export class StoredVersions {
  readonly #database: Connection;
  readonly #table: AccountTable;
  readonly #cache: AccountCache;

  /** @param database a store of the present version; {@link close} closes it */
  constructor(database: Connection) {
    this.#database = database;
    this.#table = new AccountTable(this.#database);
    this.#cache = new AccountCache(this.#database, this.#table);
  }

  /** Opens a store of the present version. */
  static open(path: string): StoredVersions {
    const database = new Connection(path, { fileMustExist: true });
    setReadOnly(database);
    return new StoredVersions(database);
  }

  /** Returns the history of the account that has the id or the handle of a profile; undefined if there is none. */
  of({ id, screen_name }: Profile): AccountHistory | undefined {
    const byName = screen_name === undefined ? undefined : this.#table.byName(screen_name);
    const byId = id === undefined ? undefined : this.#table.byStableId(id);
    const account = this.#cache.load(byId ?? (id === undefined || byName?.stable_id === null ? byName : undefined));
    // the caller keeps what it needs
    this.#cache.forget();
    return account;
  }

  close(): void {
    this.#database.close();
  }
}
