import { handleKey, isPlainHandle } from '../../contract/accounts/handle.ts';
import type { Connection, Statement } from '../database/connection.ts';

/** Matches every handle that is not plain. Plain ones are compared by the collation NOCASE. */
const isUnusual = (column: string) => `(${column} GLOB '*[^!-~]*' OR ${column} GLOB '@*')`;

/** Finds the accounts of a store that have a handle, in whatever spelling the store has it: see {@link handleKey}. */
export class HandleSpellings {
  readonly #unusual = new Map<string, Set<string>>();
  readonly #holders: Statement<[string], string>;
  readonly #formerHolders: Statement<[string, string, string], string>;

  constructor(database: Connection) {
    const stored = database.prepareValue<[], string>(
      `SELECT screen_name FROM account WHERE ${isUnusual('screen_name')} UNION SELECT handle FROM former_handle WHERE ${isUnusual('handle')}`,
    );
    for (const handle of stored.all()) this.add(handle);
    this.#holders = database.prepareValue('SELECT screen_name FROM account WHERE screen_name = ? COLLATE NOCASE');
    this.#formerHolders = database.prepareValue(
      `SELECT screen_name FROM account WHERE id IN (SELECT account FROM former_handle WHERE handle = ?)
        OR (screen_name >= ? || '~' COLLATE NOCASE AND screen_name < ? || char(127) COLLATE NOCASE)`,
    );
  }

  /** Must be called with each handle that is written to the store. */
  add(handle: string): void {
    if (isPlainHandle(handle)) return;
    const key = handleKey(handle);
    this.#unusual.set(key, (this.#unusual.get(key) ?? new Set()).add(handle));
  }

  /** Returns the spellings under which the store can have a handle, the given one first. Each stands for upper and lower case. */
  of(handle: string): readonly string[] {
    const key = handleKey(handle);
    const unusual = this.#unusual.get(key);
    return unusual === undefined && isPlainHandle(handle) ? [handle] : [...new Set([handle, key, ...(unusual ?? [])])];
  }

  /** Returns the first result of a query that runs for each spelling of a handle; undefined if there is none. */
  first<Result>(handle: string, query: (spelling: string) => Result | undefined): Result | undefined {
    for (const spelling of this.of(handle)) {
      const result = query(spelling);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Returns the screen names of the accounts that have a handle now. */
  holders(handle: string): readonly string[] {
    return [...new Set(this.of(handle).flatMap((spelling) => this.#holders.all(spelling)))];
  }

  /** Returns the screen names of the accounts that had a handle before: it is a former handle, or the screen name is the handle with `~`. */
  formerHolders(handle: string): readonly string[] {
    return [...new Set(this.of(handle).flatMap((spelling) => this.#formerHolders.all(spelling, spelling, spelling)))];
  }
}
