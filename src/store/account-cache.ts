import type { Identity } from '../contract/account.ts';
import { type Instant, parseInstant } from '../contract/instant.ts';
import type { DataType } from '../contract/record.ts';
import type { AccountRow, AccountTable } from './account-table.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { emptyVersions, type KnownAccount, type Version, versionWeight, weightOf } from './known-account.ts';

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
/** The part of the cache that becomes free when it is full. */
const EVICTED = 1 / 8;

/**
 * Caches accounts with their histories, so that each is read once and not at every observation. If it is full, it evicts accounts by the
 * CLOCK policy: those that were added first, except those that were used since it last looked at them.
 */
export class AccountCache {
  readonly #table: AccountTable;
  readonly #path: string;
  readonly #units: number;
  /** The accounts in the order in which they are evicted. */
  readonly #accounts = new Map<number, KnownAccount>();
  readonly #versions: Statement<[string], VersionRow>;
  #weight = 0;
  /** The weight of the largest account. The maximum does not include it, so the other accounts fit beside an account of any size. */
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

  /** Whether the cache is full, so that {@link evict} should be called. */
  get isFull(): boolean {
    return this.#weight > this.#units + this.#largest;
  }

  /** Sets the instant from which on values are needed. Values that ended before it leave the cache. By default, all are kept. */
  advance(now: Instant): void {
    this.#now = now;
  }

  /** Returns the account of a row. The same row is the same object until the account is evicted. */
  load(row: AccountRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const cached = this.#accounts.get(row.id);
    if (cached !== undefined) {
      cached.isUsed = true;
      return cached;
    }
    const identity: Identity = storedJson(this.#path, `the account ${row.screen_name}`, row.identity);
    const account = accountWithoutValues(row.id, identity, row.stable_id ?? undefined);
    account.observed_to = row.observed_to ?? undefined;
    account.observed_fields = row.observed_fields;
    let since = 0;
    for (const { id, data_type, text, date, is_whole } of this.#versions.all(row.screen_name)) {
      if (is_whole === 0) throw damaged(this.#path, `record ${id} of ${row.screen_name} does not match its checksum`);
      // dates of a source can be out of order: a record that is later in the feed counts as later
      since = Math.max(since, parseInstant(date) ?? 0);
      pushVersion(account.versions[data_type], { id, text, since }, this.#now);
    }
    this.#put(account);
    return account;
  }

  /** Adds an account to the table and to the cache. */
  add(identity: Identity, stableId: string | undefined): KnownAccount {
    const account = accountWithoutValues(this.#table.add(identity, stableId), identity, stableId);
    this.#put(account);
    return account;
  }

  /** Adds a value to the history of a cached account. */
  addVersion(account: KnownAccount, type: DataType, version: Version): void {
    this.#weight += pushVersion(account.versions[type], version, this.#now);
  }

  /**
   * Makes room for more accounts: removes some that were not used since the cache last looked at them, and writes the instant of their
   * latest observation. Returns them.
   */
  evict(): readonly KnownAccount[] {
    const evicted: KnownAccount[] = [];
    const enough = this.#units * (1 - EVICTED) + this.#largest;
    for (const [row, account] of this.#accounts) {
      if (this.#weight <= enough) break;
      this.#accounts.delete(row);
      if (account.isUsed) {
        account.isUsed = false;
        // the loop sees it again if the others are not enough
        this.#accounts.set(row, account);
      } else {
        this.#weight -= weightOf(account);
        evicted.push(account);
      }
    }
    this.#write(evicted);
    return evicted;
  }

  /** Clears the cache, and writes the instant of the latest observation of each account in it. */
  flush(): void {
    this.#write([...this.#accounts.values()]);
    this.#accounts.clear();
    this.#weight = 0;
    this.#largest = 0;
  }

  #put(account: KnownAccount): void {
    this.#accounts.set(account.row, account);
    const weight = weightOf(account);
    this.#weight += weight;
    this.#largest = Math.max(this.#largest, weight);
  }

  #write(accounts: KnownAccount[]): void {
    // in the order of the table, so that each of its pages is written once
    for (const { observed_to, observed_fields, row } of accounts.sort((one, other) => one.row - other.row))
      if (observed_to !== undefined) this.#table.setObserved(row, observed_to, observed_fields);
  }
}

function accountWithoutValues(row: number, identity: Identity, stable_id: string | undefined): KnownAccount {
  const versions = emptyVersions();
  return { row, stable_id, identity, observed_to: undefined, observed_fields: 0, versions, profile: undefined, isUsed: false };
}

/** Adds a value, and drops those that ended before an instant. Returns the difference of the weight. */
function pushVersion(versions: Version[], version: Version, now: Instant): number {
  let weight = versionWeight(version);
  versions.push(version);
  while ((versions[1]?.since ?? now) < now) {
    const dropped = versions.shift();
    if (dropped !== undefined) weight -= versionWeight(dropped);
  }
  return weight;
}
