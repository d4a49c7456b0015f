import type { Identity } from '../contract/account.ts';
import { type Instant, parseInstant } from '../contract/instant.ts';
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

/**
 * Caches accounts with their histories, so that each is read once and not at every observation. It has two generations: a use moves an
 * account to the recent one. When that is full, the accounts of the older one are evicted, and the recent one becomes the older one.
 */
export class AccountCache {
  readonly #table: AccountTable;
  readonly #path: string;
  readonly #units: number;
  #recent = new Map<number, KnownAccount>();
  #older = new Map<number, KnownAccount>();
  readonly #versions: Statement<[string], VersionRow>;
  /** The weight of the recent generation. */
  #weight = 0;
  /** The weight of the largest account. It can be larger than a generation, and then the other accounts still fit beside it. */
  #largest = 0;
  #now: Instant = 0;

  /** @param units the maximum size, in UTF-16 units */
  constructor(database: Connection, table: AccountTable, units: number = CACHE_UNITS) {
    this.#units = units;
    this.#table = table;
    this.#path = database.path;
    this.#versions = database.prepare(
      'SELECT id, data_type, text, first_encountered_date AS date, crc32(json) IS checksum AS is_whole FROM record WHERE account = ? ORDER BY id',
    );
  }

  /** Whether the recent generation is full, so that {@link evict} should be called. */
  get isFull(): boolean {
    return this.#weight > this.#units / 2 + this.#largest;
  }

  /** Sets the instant from which on values are needed. Values that ended before it leave the cache. By default, all are kept. */
  advance(now: Instant): void {
    this.#now = now;
  }

  /** Returns the account of a row. The same row is the same object until the account is evicted. */
  load(row: AccountRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const cached = this.#recent.get(row.id) ?? this.#older.get(row.id);
    if (cached !== undefined) {
      this.use(cached);
      return cached;
    }
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
    let since = 0;
    for (const { id, data_type, text, date, is_whole } of this.#versions.all(row.screen_name)) {
      if (is_whole === 0) throw damaged(this.#path, `record ${id} of ${row.screen_name} does not match its checksum`);
      // dates of a source can be out of order: a record that is later in the feed counts as later
      since = Math.max(since, parseInstant(date) ?? 0);
      pushVersion(account.versions[data_type], { id, text, since }, this.#now);
    }
    this.#add(account);
    return account;
  }

  /** Notes that a cached account is used, so that it stays longer than others. */
  use(account: KnownAccount): void {
    if (this.#older.delete(account.row)) this.#add(account);
  }

  /** Adds a value to the history of a cached account. */
  addVersion(account: KnownAccount, type: DataType, version: Version): void {
    const { length } = account.versions[type];
    pushVersion(account.versions[type], version, this.#now);
    if (account.versions[type].length > length) this.#weight += weightOf(version);
  }

  /** Writes the instant of the latest observation of each account in the older generation. Removes these accounts and returns them. */
  evict(): readonly KnownAccount[] {
    // in the order of the table, so that each page is written once
    const evicted = [...this.#older.values()].sort((one, other) => one.row - other.row);
    for (const { observed_to, observed_fields, row } of evicted)
      if (observed_to !== undefined) this.#table.setObserved(row, observed_to, observed_fields);
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#weight = 0;
    return evicted;
  }

  /** Clears the cache, and writes the instant of the latest observation of each account in it. */
  flush(): void {
    this.evict();
    this.evict();
  }

  /** Clears the cache, and writes nothing. */
  forget(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#weight = 0;
  }

  #add(account: KnownAccount): void {
    this.#recent.set(account.row, account);
    let weight = OVERHEAD_UNITS;
    for (const versions of Object.values(account.versions)) for (const version of versions) weight += weightOf(version);
    this.#weight += weight;
    this.#largest = Math.max(this.#largest, weight);
  }
}

function weightOf({ text }: Version): number {
  return OVERHEAD_UNITS + (text?.length ?? 0);
}

/** Adds a value, and drops those that ended before an instant. */
function pushVersion(versions: Version[], version: Version, now: Instant): void {
  versions.push(version);
  while ((versions[1]?.since ?? now) < now) versions.shift();
}
