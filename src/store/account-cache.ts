import type { Identity } from '../contract/account.ts';
import { parseInstant } from '../contract/instant.ts';
import type { DataType } from '../contract/record.ts';
import type { AccountRow, AccountTable } from './account-table.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { emptyVersions, type KnownAccount, type Version } from './known-account.ts';

interface VersionRow {
  readonly id: number;
  readonly data_type: DataType;
  readonly text: string | null;
  readonly date: string;
  /** Whether the record matches its checksum. */
  readonly is_whole: 0 | 1;
}

/** The maximum size of the cache, in UTF-16 units. */
const CACHE_UNITS = 1 << 25;
/** The estimated overhead of an account or a value beside its text, in UTF-16 units. */
const OVERHEAD_UNITS = 200;

/** Caches accounts with their histories, so that each is read once and not at every observation. */
export class AccountCache {
  readonly #table: AccountTable;
  readonly #path: string;
  readonly #accounts = new Map<number, KnownAccount>();
  readonly #versions: Statement<[string], VersionRow>;
  #weight = 0;
  /** One account can be larger than the cache. It is read again only after it has grown by half. */
  #allowed = CACHE_UNITS;

  constructor(database: Connection, table: AccountTable) {
    this.#table = table;
    this.#path = database.path;
    this.#versions = database.prepare(
      'SELECT id, data_type, text, first_encountered_date AS date, crc32(json) IS checksum AS is_whole FROM record WHERE account = ? ORDER BY id',
    );
  }

  /** Whether the cache is full and should be flushed. */
  get isFull(): boolean {
    return this.#weight > this.#allowed;
  }

  /** Returns the account of a row. The same row is the same object until the cache is flushed. */
  load(row: AccountRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const cached = this.#accounts.get(row.id);
    if (cached !== undefined) return cached;
    const identity: Identity = storedJson(this.#path, `the account ${row.screen_name}`, row.identity);
    const account: KnownAccount = {
      row: row.id,
      stable_id: row.stable_id ?? undefined,
      identity,
      observed_to: row.observed_to ?? undefined,
      observed_fields: row.observed_fields,
      versions: emptyVersions(),
      profile: undefined,
    };
    const before = this.#weight;
    let since = 0;
    for (const { id, data_type, text, date, is_whole } of this.#versions.all(row.screen_name)) {
      if (is_whole === 0) throw damaged(this.#path, `record ${id} of ${row.screen_name} does not match its checksum`);
      // dates of a source can be out of order: a record that is later in the feed counts as later
      since = Math.max(since, parseInstant(date) ?? 0);
      this.addVersion(account, data_type, { id, text, since });
    }
    this.#weight += OVERHEAD_UNITS;
    this.#allowed = Math.max(this.#allowed, 1.5 * (this.#weight - before));
    this.#accounts.set(row.id, account);
    return account;
  }

  /** Adds a value to the history of a cached account. */
  addVersion(account: KnownAccount, type: DataType, version: Version): void {
    account.versions[type].push(version);
    this.#weight += OVERHEAD_UNITS + (version.text?.length ?? 0);
  }

  /** Clears the cache, and writes the instant of the latest observation of each account in it. */
  flush(): void {
    for (const { observed_to, observed_fields, row } of this.#accounts.values())
      if (observed_to !== undefined) this.#table.setObserved(row, observed_to, observed_fields);
    this.forget();
  }

  /** Clears the cache, and writes nothing. */
  forget(): void {
    this.#accounts.clear();
    this.#weight = 0;
    this.#allowed = CACHE_UNITS;
  }
}
