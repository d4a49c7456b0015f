import type { Identity, Summary } from '../../contract/account.ts';
import type { AccountEntry } from '../../contract/accounts/account-entry.ts';
import { type AccountState, type FormerHandle, sortedHandles } from '../../contract/accounts/account-state.ts';
import type { Instant } from '../../contract/instant.ts';
import { DATA_TYPES } from '../../contract/record.ts';
import { accountChecksum } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged, storedJson } from '../database/damaged.ts';
import {
  type AccountOrder,
  type AccountRow,
  accountBatches,
  accountRows,
  STATE_COLUMNS,
  type StateRow,
  selectAccounts,
} from './account-rows.ts';
import { bitOf } from './known-account.ts';

/** An account without the times of its records. A search reads these only for the accounts that it finds. */
export interface AccountNames extends Omit<AccountEntry, 'first_change' | 'last_change'> {
  /** The id of the first record; null: no records. */
  readonly first_record: number | null;
}

/** The names of an account, for the search of the pages for people. */
export type SearchedNames = Omit<AccountNames, 'stable_id' | 'first_record'>;

/** An account with its published profile, and what the store knows about it beyond the pages. */
export interface PublishedAccount extends AccountEntry, Identity, Summary {
  /** The value of the newest Verified record; null: no such record. */
  readonly verified: boolean | null;
  /** The instant of the latest observation; null: never observed. */
  readonly observed_to: Instant | null;
}

/** What the pages lack about the accounts. */
export interface IdentityCounts {
  readonly stable_ids: number;
  readonly former_handles: number;
}

/** Consecutive accounts of a list. */
export interface AccountsPage {
  /** The newest revision that changed one of them. */
  readonly revision: number;
  readonly read: () => readonly AccountEntry[];
}

const NAMES = ['id', 'screen_name', 'stable_id', 'profile', 'records', 'first_record'] as const;
const PUBLISHED = [...NAMES, 'identity', 'summary', 'observed_to', 'checksum'] as const;

type NamesRow = Pick<AccountRow, (typeof NAMES)[number]>;

interface ChangeTimes {
  readonly first_change: string | null;
  readonly last_change: string | null;
}

/** Reads accounts without their records. */
export class AccountReader {
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
    this.#byName = database.prepare(`${selectAccounts(NAMES)} WHERE screen_name = ?`);
  }

  /** Yields the names of all accounts. */
  *names(order: AccountOrder): Generator<AccountNames> {
    const hasFormerHandles = this.#database.value('SELECT EXISTS (SELECT 1 FROM former_handle)') === 1;
    for (const row of accountRows(this.#database, order, NAMES)) {
      yield this.#namesIn(row, hasFormerHandles ? this.formerHandles(row.id) : []);
    }
  }

  /** Returns the entry of an account. Reads only its first and its last record. */
  entry({ first_record, ...names }: AccountNames): AccountEntry {
    const times = first_record === null ? undefined : this.#changeTimes.get({ first: first_record, name: names.screen_name });
    return { ...names, ...(times ?? { first_change: null, last_change: null }) };
  }

  /** Returns the entry of the account with exactly this handle. */
  entryOf(screenName: string): AccountEntry | undefined {
    const row = this.#byName.get(screenName);
    return row && this.entry(this.#namesIn(row, this.formerHandles(row.id)));
  }

  /** Yields the accounts in the order of the account pages. @param skip the number of accounts before the first one */
  *pages(skip: number, size: number): Generator<AccountsPage> {
    const last = this.#database.prepare<[number], Pick<AccountRow, 'place' | 'screen_name'>>(
      'SELECT place, screen_name FROM account ORDER BY place, screen_name LIMIT 1 OFFSET +?',
    );
    const before = skip === 0 ? undefined : last.get(skip - 1);
    if (skip > 0 && before === undefined) return;
    for (const rows of accountBatches(this.#database, 'page', ['revision'], size, before && [before.place, before.screen_name])) {
      const revision = rows.reduce((newest, row) => Math.max(newest, row.revision ?? 0), 0);
      yield { revision, read: () => rows.flatMap(({ screen_name }) => this.entryOf(screen_name) ?? []) };
    }
  }

  /**
   * Yields every account, sorted by screen name. Memory holds one account at a time.
   * @throws Failure bad-store if an account does not match its checksum
   */
  *published(): Generator<PublishedAccount> {
    const history = this.#database.prepare<[number], { readonly head: Buffer; readonly tail: string }>(
      'SELECT CAST(head AS BLOB) AS head, tail FROM history WHERE first_record = ?',
    );
    const verified = this.#database.prepareValue<[string], string>(
      "SELECT text FROM record WHERE account = ? AND data_type = 'Verified' ORDER BY id DESC LIMIT 1",
    );
    const { path } = this.#database;
    for (const row of accountRows(this.#database, 'name', PUBLISHED)) {
      const { screen_name, identity, summary, observed_to, records, checksum, first_record } = row;
      const without = { head: Buffer.from(`${identity.slice(0, -1)},"data":[]`), tail: `,${summary.slice(1)}` };
      const { head, tail } = (first_record === null ? undefined : history.get(first_record)) ?? without;
      if (accountChecksum(head, tail, records) !== checksum) throw damaged(path, `the account ${screen_name} does not match its checksum`);
      const { website, location, bio }: Summary = storedJson(path, `the profile of ${screen_name}`, row.profile);
      const { account_creation_date, profile_image_url }: Identity = storedJson(path, `the account ${screen_name}`, identity);
      const newest = verified.get(screen_name);
      yield {
        ...this.entry(this.#namesIn(row, this.formerHandles(row.id))),
        website,
        location,
        bio,
        verified: newest === undefined ? null : newest === 'true',
        profile_image_url,
        account_creation_date,
        observed_to,
      };
    }
  }

  /** Yields the states of all accounts, sorted by screen name. */
  *states(): Generator<AccountState> {
    for (const row of accountRows(this.#database, 'name', STATE_COLUMNS)) yield this.state(row);
  }

  /** Yields the account states with the profiles of the pages, as of the newest record of each account. */
  *publishedStates(): Generator<AccountState> {
    const newest = this.#database.prepareValue<[string], number | null>('SELECT max(id) FROM record WHERE account = ?');
    for (const row of accountRows(this.#database, 'name', [...STATE_COLUMNS, 'profile'])) {
      yield this.state({ ...row, summary: row.profile, known_to: newest.get(row.screen_name) ?? row.known_to });
    }
  }

  /** Returns how many stable ids and former handles the accounts have. */
  identityCounts(): IdentityCounts {
    const [stable_ids, former_handles] = ['count(stable_id) FROM account', 'count(*) FROM former_handle'].map((counted) =>
      Number(this.#database.value(`SELECT ${counted}`)),
    );
    return { stable_ids: stable_ids ?? 0, former_handles: former_handles ?? 0 };
  }

  /** Returns the facts about an account that the store cannot derive from records. */
  state(row: StateRow): AccountState {
    return {
      ...storedJson(this.#database.path, `the account ${row.screen_name}`, row.identity),
      stable_id: row.stable_id,
      observed_to: row.observed_to,
      observed_fields: DATA_TYPES.filter((type) => (row.observed_fields & bitOf(type)) !== 0),
      former_handles: this.formerHandles(row.id),
      profile: storedJson(this.#database.path, `the profile of ${row.screen_name}`, row.summary),
      profile_record: row.known_to,
    };
  }

  /** Returns the former handles of an account, sorted by time. */
  formerHandles(id: number): readonly FormerHandle[] {
    return sortedHandles(this.#formerHandles.all(id));
  }

  #namesIn({ screen_name, stable_id, profile, records, first_record }: NamesRow, former_handles: readonly FormerHandle[]): AccountNames {
    return {
      screen_name,
      stable_id,
      display_name: storedJson(this.#database.path, `the profile of ${screen_name}`, profile).display_name,
      former_handles,
      changes: records,
      first_record,
    };
  }
}
