import { encodeIdentity, encodeSummary, type Identity, NO_SUMMARY } from '../../contract/account.ts';
import { type Instant, parseInstant } from '../../contract/instant.ts';
import type { ChangeRecord, DataType } from '../../contract/record.ts';
import type { Profile } from '../../contract/snapshots/observation.ts';
import type { Statement } from '../database/connection.ts';
import { damaged, storedJson } from '../database/store-error.ts';
import { encodedRecord } from '../feed/records.ts';
import type { Batch } from '../writing/batch.ts';
import { OBSERVED_COLUMNS, type ObservedRow, selectAccounts } from './account-rows.ts';
import { IntervalWriter } from './change-intervals.ts';
import { HandleSpellings } from './handle-spellings.ts';
import {
  accountWithoutValues,
  intervalOf,
  type KnownAccount,
  OVERHEAD_UNITS,
  observedChecksum,
  pushVersion,
  watermarkOf,
  weightOf,
} from './known-account.ts';

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
/** The number of records that are read at once. */
const BATCH_SIZE = 500;
const EMPTY_SUMMARY = encodeSummary(NO_SUMMARY);

/**
 * The accounts that snapshots describe. Finds the account of a snapshot, and writes what snapshots add to it: its stable id, its
 * records and the instant of the latest observation.
 *
 * Accounts are cached with their histories, so that each is read once and not at every observation. If the cache is full, it evicts
 * accounts by the CLOCK policy: those that were added first, except those that were used since it last looked at them.
 */
export class ObservedAccounts {
  readonly spellings: HandleSpellings;
  /** The instant from which on values are needed. Values that ended before it leave the cache. By default, all are kept. */
  now: Instant = 0;
  readonly #batch: Batch;
  readonly #units: number;
  /** The accounts in the order in which they are evicted. */
  readonly #cached = new Map<number, KnownAccount>();
  #weight = 0;
  /** The weight of the largest account. The maximum does not include it, so the other accounts fit beside an account of any size. */
  #largest = 0;
  readonly #byStableId: Statement<[string], ObservedRow>;
  readonly #byName: Statement<[string, string], ObservedRow>;
  readonly #byFormerName: Statement<[string, Instant], ObservedRow>;
  readonly #versions: Statement<[number, number], VersionRow>;
  readonly #add: Statement<[string, string | null, string, string]>;
  readonly #setStableId: Statement<[string, number]>;
  readonly #setObserved: Statement<[Instant, number, number | null, number]>;
  readonly #intervals: IntervalWriter;

  /** @param units the maximum size of the cache, in UTF-16 units */
  constructor(batch: Batch, units: number = CACHE_UNITS) {
    const { database } = batch;
    this.spellings = new HandleSpellings(database);
    this.#batch = batch;
    this.#units = units;
    const select = selectAccounts(OBSERVED_COLUMNS);
    this.#byStableId = database.prepare(`${select} WHERE stable_id = ?`);
    // the exact match comes first
    this.#byName = database.prepare(`${select} WHERE screen_name = ? COLLATE NOCASE ORDER BY screen_name <> ?, screen_name LIMIT 1`);
    this.#byFormerName = database.prepare(
      `${select} WHERE account.id = (SELECT former_handle.account FROM former_handle JOIN account ON account.id = former_handle.account
        WHERE handle = ? AND seen_to >= ? ORDER BY seen_to, screen_name LIMIT 1)`,
    );
    this.#versions = database.prepare(
      `SELECT id, json ->> 'data_type' AS data_type, json ->> 'text' AS text, json ->> 'first_encountered_date' AS date,
          crc32(json) IS checksum AS is_whole FROM record
        WHERE account = ? AND id > ? ORDER BY id LIMIT ${BATCH_SIZE}`,
    );
    this.#add = database.prepare('INSERT INTO account (screen_name, stable_id, identity, summary) VALUES (?, ?, ?, ?)');
    this.#setStableId = database.prepare('UPDATE account SET stable_id = ? WHERE id = ?');
    this.#setObserved = database.prepare(
      `UPDATE account SET observed_to = CAST(? AS INTEGER), observed_fields = CAST(? AS INTEGER), observed_checksum = CAST(? AS INTEGER)
        WHERE id = ?`,
    );
    this.#intervals = new IntervalWriter(database);
  }

  /** Whether the cache is full, so that {@link evict} should be called. */
  get isFull(): boolean {
    return this.#weight > this.#units + this.#largest;
  }

  /**
   * Returns the account of a profile that was observed at an instant: by its stable id, or by its handle if the source has no stable id.
   * Returns undefined if it is new.
   */
  find({ id, screen_name }: Profile, formerNames: readonly string[], instant: Instant): KnownAccount | undefined {
    if (id === undefined) return screen_name === undefined ? undefined : this.#withHandle(screen_name, instant);
    const names = screen_name === undefined ? formerNames : [screen_name, ...formerNames];
    return this.#load(this.#byStableId.get(id) ?? this.#withoutId(names));
  }

  /** Returns the account that has a handle now, in any spelling. */
  holderOf(handle: string): KnownAccount | undefined {
    return this.#load(this.#rowOf(handle));
  }

  /** Adds an account without records. */
  add(identity: Identity, stableId: string | undefined): KnownAccount {
    const { lastInsertRowid } = this.#add.run(identity.screen_name, stableId ?? null, encodeIdentity(identity), EMPTY_SUMMARY);
    this.spellings.add(identity.screen_name);
    const account = accountWithoutValues(Number(lastInsertRowid), identity, stableId);
    this.#put(account);
    return account;
  }

  setStableId(account: KnownAccount, id: string): void {
    if (account.stable_id === id) return;
    this.#setStableId.run(id, account.row);
    account.stable_id = id;
    this.#batch.markMetadataChanged();
  }

  addRecord(account: KnownAccount, record: ChangeRecord): void {
    const { id, data_type, text, first_encountered_date } = record;
    this.#batch.putRecord(encodedRecord(record), account.row);
    const version = { id, text, since: parseInstant(first_encountered_date) ?? 0 };
    const interval = intervalOf(account, record, version.since);
    this.#weight += pushVersion(account.versions[data_type], version, this.now);
    account.observed_checksum = null;
    if (interval === undefined) return;
    account.intervals.push(interval);
    this.#weight += OVERHEAD_UNITS;
  }

  /**
   * Makes room for more accounts: removes some that were not used since the cache last looked at them, and writes the instant of their
   * latest observation. Returns them.
   */
  evict(): readonly KnownAccount[] {
    const evicted: KnownAccount[] = [];
    const enough = this.#units * (1 - EVICTED) + this.#largest;
    for (const [row, account] of this.#cached) {
      if (this.#weight <= enough) break;
      this.#cached.delete(row);
      if (account.isUsed) {
        account.isUsed = false;
        // the loop sees it again if the others are not enough
        this.#cached.set(row, account);
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
    this.#write([...this.#cached.values()]);
    this.#cached.clear();
    this.#weight = 0;
    this.#largest = 0;
  }

  /** Returns the account that had a handle at an instant, as far as is known. Others may have had it before or since. */
  #withHandle(handle: string, instant: Instant): KnownAccount | undefined {
    const holder = this.holderOf(handle);
    if (holder !== undefined && watermarkOf(holder) <= instant) return holder;
    return this.#load(this.spellings.first(handle, (spelling) => this.#byFormerName.get(spelling, instant))) ?? holder;
  }

  /** Returns an account that has a handle of the list and no stable id yet. */
  #withoutId(names: readonly string[]): ObservedRow | undefined {
    for (const name of names) {
      const row = this.#rowOf(name);
      if (row !== undefined && row.stable_id === null) return row;
    }
    return undefined;
  }

  #rowOf(handle: string): ObservedRow | undefined {
    return this.spellings.first(handle, (spelling) => this.#byName.get(spelling, handle));
  }

  /** Returns the account of a row. The same row is the same object until the account is evicted. */
  #load(row: ObservedRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const cached = this.#cached.get(row.id);
    if (cached !== undefined) {
      cached.isUsed = true;
      return cached;
    }
    const { path } = this.#batch.database;
    const account = accountWithoutValues(
      row.id,
      storedJson(path, `the account ${row.screen_name}`, row.identity),
      row.stable_id ?? undefined,
    );
    account.observed_to = row.observed_to ?? undefined;
    account.observed_fields = row.observed_fields;
    account.observed_checksum = row.observed_checksum;
    let since = 0;
    for (const { id, data_type, text, date, is_whole } of this.#recordsOf(row.id)) {
      if (is_whole === 0) throw damaged(path, `record ${id} of ${row.screen_name} does not match its checksum`);
      // dates of a source can be out of order: a record that is later in the feed counts as later
      since = Math.max(since, parseInstant(date) ?? 0);
      pushVersion(account.versions[data_type], { id, text, since }, this.now);
    }
    this.#put(account);
    return account;
  }

  /** Yields the records of an account, oldest first. */
  *#recordsOf(account: number): Generator<VersionRow> {
    let rows: readonly VersionRow[] = [];
    do {
      rows = this.#versions.all(account, rows.at(-1)?.id ?? -1);
      yield* rows;
    } while (rows.length === BATCH_SIZE);
  }

  #put(account: KnownAccount): void {
    this.#cached.set(account.row, account);
    const weight = weightOf(account);
    this.#weight += weight;
    this.#largest = Math.max(this.#largest, weight);
  }

  #write(accounts: KnownAccount[]): void {
    this.#batch.markObservedChanged();
    // in the order of the table, so that each of its pages is written once
    for (const account of accounts.sort((one, other) => one.row - other.row)) {
      const { row, observed_to, observed_fields, intervals } = account;
      if (observed_to === undefined) continue;
      this.#setObserved.run(observed_to, observed_fields, observedChecksum(account), row);
      if (intervals.length > 0) this.#intervals.add(row, intervals);
    }
  }
}
