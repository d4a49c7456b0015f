import type { Identity, Summary } from '../../contract/account.ts';
import { type AccountEntry, type AccountState, type FormerHandle, sortedHandles } from '../../contract/accounts/account-state.ts';
import type { Instant } from '../../contract/instant.ts';
import type { PROFILE_FIELDS } from '../../contract/profile-fields.ts';
import { DATA_TYPES, type DataType } from '../../contract/record.ts';
import { accountChecksum } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged, storedJson } from '../database/store-error.ts';
import { listedChecksum, timesIn } from '../histories/derived-history.ts';
import { HistoryParts } from '../histories/history-parts.ts';
import {
  type AccountOrder,
  type AccountRow,
  accountRows,
  LISTED_COLUMNS,
  STATE_COLUMNS,
  type StateRow,
  selectAccounts,
} from './account-rows.ts';
import { intervalsOf } from './change-intervals.ts';
import { bitOf, decodeObservedChecksum } from './known-account.ts';

/** An account without the times of its records. A search reads these only for the accounts that it finds. */
export interface AccountNames extends Omit<AccountEntry, 'first_record_date' | 'last_record_date'> {
  /** The id of the first record; null: no records. */
  readonly first_record: number | null;
}

/** The names of an account, for the search of the HTML pages. */
export type SearchedNames = Omit<AccountNames, 'stable_id' | 'first_record'>;

/** An account with its published profile, and what the store knows about it beyond the pages. */
export type PublishedAccount = AccountEntry &
  Identity &
  Summary &
  Record<(typeof PROFILE_FIELDS)[DataType]['keyInProfile'], unknown> & {
    /** The value of the newest Verified record; null: no such record. */
    readonly verified: boolean | null;
    /** The instant of the latest observation; null: never observed. */
    readonly observed_to: Instant | null;
  };

/** What the pages lack about the accounts. */
export interface IdentityCounts {
  readonly stable_id_count: number;
  readonly former_handle_count: number;
}

/** An account in the lists of the HTML pages. */
export interface ListedAccount extends Pick<AccountEntry, 'screen_name' | 'display_name'> {
  /** The number of its records that have one of the same field before them, and the time of the newest. The others are first values. */
  readonly changes: number;
  readonly last_change: string | null;
  /** The time of its first record. */
  readonly first_seen: string | null;
}

type ListedTimes = Pick<ListedAccount, 'first_seen' | 'last_change'>;

/** An index has all of these columns. */
const SEARCHED = ['id', 'screen_name', ...LISTED_COLUMNS] as const;
const NAMES = [...SEARCHED, 'stable_id', 'first_record'] as const;
const CONTENTS = ['screen_name', 'first_record', 'identity', 'summary', 'checksum'] as const;
const PUBLISHED = [...NAMES, ...CONTENTS, 'profile', 'observed_to'] as const;

type SearchedRow = Pick<AccountRow, (typeof SEARCHED)[number]>;
type ContentsRow = Pick<AccountRow, (typeof CONTENTS)[number]>;
type NamesRow = Pick<AccountRow, (typeof NAMES)[number]>;

interface RecordDates {
  readonly first_record_date: string | null;
  readonly last_record_date: string | null;
}

/** Reads accounts without their records. */
export class AccountReader {
  readonly #database: Connection;
  readonly #formerHandles: Statement<[number], FormerHandle>;
  readonly #recordDates: Statement<[string], RecordDates>;
  readonly #listed: Statement<[string], ContentsRow & SearchedRow>;
  readonly #listedTimes: Statement<[string], ListedTimes>;
  readonly #history: Statement<[number | null], { readonly head: Buffer; readonly tail: string; readonly records: number }>;
  readonly #parts: HistoryParts;
  readonly #byName: Statement<[string], NamesRow>;

  constructor(database: Connection) {
    this.#database = database;
    this.#formerHandles = database.prepare('SELECT handle, seen_to FROM former_handle WHERE account = ?');
    const time = "SELECT json ->> 'first_encountered_date' FROM record WHERE";
    this.#recordDates = database.prepare(`
      SELECT (${time} record.id = first_record) AS first_record_date,
        (${time} record.account = account.id ORDER BY record.id DESC LIMIT 1) AS last_record_date
      FROM account WHERE screen_name = ?`);
    this.#listed = database.prepare(`${selectAccounts([...CONTENTS, ...SEARCHED])} WHERE screen_name = ?`);
    this.#listedTimes = database.prepare(`
      SELECT (${time} record.id = first_record) AS first_seen,
        (${time} record.account = account.id AND json ->> 'previous' IS NOT NULL ORDER BY record.id DESC LIMIT 1) AS last_change
      FROM account WHERE screen_name = ?`);
    this.#history = database.prepare('SELECT CAST(head AS BLOB) AS head, tail, records FROM history WHERE first_record = ?');
    this.#parts = new HistoryParts(database);
    this.#byName = database.prepare(`${selectAccounts(NAMES)} WHERE screen_name = ?`);
  }

  /** @throws Failure bad-store if they do not match their checksum */
  *names(order: AccountOrder): Generator<AccountNames> {
    const handlesOf = this.#handlesOf();
    for (const row of accountRows(this.#database, order, NAMES)) yield this.#namesIn(row, handlesOf(row.id));
  }

  /**
   * Yields the names of all accounts for the search, in the order of the account pages. Reads only an index.
   * @throws Failure bad-store if they do not match their checksum
   */
  *searchedNames(): Generator<SearchedNames> {
    const handlesOf = this.#handlesOf();
    for (const row of accountRows(this.#database, 'page', SEARCHED)) yield this.#searchedNamesIn(row, handlesOf(row.id));
  }

  /** Returns the entry of an account. Reads only its first and its last record. */
  entry({ first_record, ...names }: AccountNames): AccountEntry {
    const dates = first_record === null ? undefined : this.#recordDates.get(names.screen_name);
    return { ...names, ...(dates ?? { first_record_date: null, last_record_date: null }) };
  }

  /** Returns the entry of the account with exactly this handle. */
  entryOf(screenName: string): AccountEntry | undefined {
    const row = this.#byName.get(screenName);
    return row && this.entry(this.#namesIn(row, this.formerHandles(row.id)));
  }

  /** Returns the handles of the accounts with the most changes, in descending order. Reads only an index. */
  withMostChanges(accounts: number): readonly string[] {
    return this.#database.values(
      `SELECT screen_name FROM account INDEXED BY account_order WHERE listed_changes > 0
        ORDER BY listed_changes DESC, screen_name LIMIT +?`,
      accounts,
    );
  }

  /**
   * Returns the account with exactly this handle for the list.
   * @throws Failure bad-store if it does not match its checksum
   */
  listed(screenName: string): ListedAccount {
    const row = this.#listed.get(screenName);
    if (row === undefined) throw damaged(this.#database.path, `no account with the handle ${screenName}`);
    const { head, older } = this.#contentsOf(row);
    const { screen_name, display_name } = this.#searchedNamesIn(row, []);
    const times = older.records > 0 ? this.#listedTimes.get(screenName) : undefined;
    return { screen_name, display_name, changes: row.listed_changes, ...(times ?? timesIn(head)) };
  }

  /**
   * Yields every account, sorted by screen name. Memory holds one account at a time.
   * @throws Failure bad-store if an account does not match its checksum
   */
  *published(): Generator<PublishedAccount> {
    const verified = this.#database.prepareValue<[number], string>(
      "SELECT json ->> 'text' FROM record WHERE account = ? AND json ->> 'data_type' = 'Verified' ORDER BY id DESC LIMIT 1",
    );
    const { path } = this.#database;
    for (const row of accountRows(this.#database, 'name', PUBLISHED)) {
      const { screen_name, identity, observed_to } = row;
      this.#contentsOf(row);
      const { website, location, bio }: Summary = storedJson(path, `the profile of ${screen_name}`, row.profile);
      const { account_creation_date, profile_image_url }: Identity = storedJson(path, `the account ${screen_name}`, identity);
      const newest = verified.get(row.id);
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
    const newest = this.#database.prepareValue<[number], number | null>('SELECT max(id) FROM record WHERE account = ?');
    for (const row of accountRows(this.#database, 'name', [...STATE_COLUMNS, 'profile'])) {
      yield this.state({ ...row, summary: row.profile, known_to: newest.get(row.id) ?? row.known_to });
    }
  }

  /** Returns how many stable ids and former handles the accounts have. */
  identityCounts(): IdentityCounts {
    const count = (what: string) => Number(this.#database.value(`SELECT count(${what}`));
    return { stable_id_count: count('stable_id) FROM account'), former_handle_count: count('*) FROM former_handle') };
  }

  /** Returns the facts about an account that the store cannot derive from records. */
  state(row: StateRow): AccountState {
    return {
      ...storedJson(this.#database.path, `the account ${row.screen_name}`, row.identity),
      stable_id: row.stable_id,
      observed_to: row.observed_to,
      observed_fields: DATA_TYPES.filter((type) => (row.observed_fields & bitOf(type)) !== 0),
      observed_checksum: row.observed_checksum === null ? undefined : decodeObservedChecksum(row.observed_checksum),
      change_intervals: intervalsOf(this.#database.path, row),
      former_handles: this.formerHandles(row.id),
      profile: storedJson(this.#database.path, `the profile of ${row.screen_name}`, row.summary),
      profile_record: row.known_to,
    };
  }

  /** Returns the former handles of an account, sorted by time. */
  formerHandles(id: number): readonly FormerHandle[] {
    return sortedHandles(this.#formerHandles.all(id));
  }

  /** Returns the newest records of an account, and what is known of the older ones. Compares the account with its checksum. */
  #contentsOf({ screen_name, identity, summary, checksum, first_record }: ContentsRow) {
    const without = { head: Buffer.from(`${identity.slice(0, -1)},"data":[`), tail: `,${summary.slice(1)}`, records: 0 };
    const { head, tail, records } = this.#history.get(first_record) ?? without;
    const older = this.#parts.before(first_record);
    if (accountChecksum(head, older.checksum, tail, records) === checksum) return { head, older };
    throw damaged(this.#database.path, `the account ${screen_name} does not match its checksum`);
  }

  /** Returns a function for the former handles of an account. It searches nothing if no account has one. */
  #handlesOf(): (id: number) => readonly FormerHandle[] {
    const hasFormerHandles = this.#database.value('SELECT EXISTS (SELECT 1 FROM former_handle)') === 1;
    return (id) => (hasFormerHandles ? this.formerHandles(id) : []);
  }

  #namesIn(row: NamesRow, former_handles: readonly FormerHandle[]): AccountNames {
    const { stable_id, first_record } = row;
    return { ...this.#searchedNamesIn(row, former_handles), stable_id, first_record };
  }

  #searchedNamesIn(row: SearchedRow, former_handles: readonly FormerHandle[]): SearchedNames {
    const { screen_name, listed_name, listed_records, listed_checksum } = row;
    if (listedChecksum(screen_name, row) !== listed_checksum)
      throw damaged(this.#database.path, `the names of the account ${screen_name} do not match their checksum`);
    return { screen_name, display_name: listed_name, former_handles, records: listed_records };
  }
}
