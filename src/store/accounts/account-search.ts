import { handleKey } from '../../contract/accounts/handle.ts';
import { Failure } from '../../contract/failure.ts';
import type { Instant } from '../../contract/instant.ts';
import type { Connection, Statement } from '../database/connection.ts';
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

/** How an account is named on a command line: `@name` is a handle, `id:12` is a stable id, `name` is either. */
export interface AccountName {
  readonly handle: string | undefined;
  readonly stableId: string | undefined;
}

export function parseAccountName(text: string): AccountName {
  if (text.startsWith('id:') && text.length > 3) return { handle: undefined, stableId: text.slice(3) };
  if (text.startsWith('@') && text.length > 1) return { handle: text.slice(1), stableId: undefined };
  return { handle: text, stableId: text };
}

interface Found {
  readonly screen_name: string;
  readonly stable_id: string | null;
}

/**
 * Returns the screen names of the account with a name: its handle in any spelling, its stable id, or a former handle. Screen names
 * that are spellings of one handle are one account.
 * @throws Failure ambiguous-account if several accounts have or had that name
 */
export function accountsNamed(database: Connection, text: string): readonly string[] {
  const { handle, stableId } = parseAccountName(text);
  const spellings = handle === undefined ? [] : new HandleSpellings(database).of(handle);
  const select = 'SELECT screen_name, stable_id FROM account';
  const withHandle = database.prepare<[string], Found>(`${select} WHERE screen_name = ? COLLATE NOCASE`);
  const byHandle = spellings.flatMap((spelling) => withHandle.all(spelling));
  const byId = database.prepare<[string | null], Found>(`${select} WHERE stable_id = ?`).all(stableId ?? null);
  const isHandleOnly = stableId === undefined && byHandle.length > 0;
  const withFormerHandle = database.prepare<[string], Found>(`${select} WHERE id IN (SELECT account FROM former_handle WHERE handle = ?)`);
  const byFormerHandle = isHandleOnly ? [] : spellings.flatMap((spelling) => withFormerHandle.all(spelling));
  const found = new Map([...byHandle, ...byId, ...byFormerHandle].map((account) => [account.screen_name, account]));
  const isOne = new Set([...found.keys()].map(handleKey)).size <= 1;
  if (isOne) return [...found.keys()];
  const choices = [...found.values()].map(({ screen_name, stable_id }) => (stable_id === null ? `@${screen_name}` : `id:${stable_id}`));
  throw new Failure('ambiguous-account', `several accounts have or had the name ${text}`, {
    place: { file: database.path },
    expected: 'the name of one account',
    found: [...found.keys()].join(', '),
    hint: `name one account: ${choices.join(', ')}`,
  });
}

/** Finds an account by a value; null finds none. */
const BY = {
  record: 'id = (SELECT account FROM record WHERE id = ?)',
  'stable id': 'stable_id = ?',
};

/** Returns the present handle of the account that has a record or a stable id, if `handle` is a former handle of that account. */
export type FindPresentHandle = (value: number | string | null, handle: string) => string | undefined;

export function presentHandleFinder(database: Connection, by: keyof typeof BY): FindPresentHandle {
  const owner = database.prepareValue<[number | string | null, string], string>(
    `SELECT screen_name FROM account WHERE ${BY[by]}
      AND EXISTS (SELECT 1 FROM former_handle WHERE former_handle.account = account.id AND handle = ?)`,
  );
  return (value, handle) => {
    const name = owner.get(value, handle);
    return name === handle ? undefined : name;
  };
}
