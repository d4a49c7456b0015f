import { encodeIdentity, type Identity } from '../contract/account.ts';
import { type Instant, parseInstant } from '../contract/instant.ts';
import type { Profile } from '../contract/observation.ts';
import { type ChangeRecord, type DataType, encodeRecord } from '../contract/record.ts';
import type { Batch } from './batch.ts';
import { checksumOf } from './checksum.ts';
import type { Statement } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { type KnownAccount, type Version, watermarkOf } from './known-account.ts';

interface AccountRow {
  readonly id: number;
  readonly screen_name: string;
  readonly stable_id: string | null;
  readonly identity: string;
  readonly observed_to: number | null;
  readonly observed_fields: number;
}

interface VersionRow {
  readonly id: number;
  readonly data_type: DataType;
  readonly text: string | null;
  readonly date: string;
  /** Whether the record matches its checksum. */
  readonly is_whole: 0 | 1;
}

/** The maximum size of the account cache, in UTF-16 units. A full cache is cleared. */
const CACHE_UNITS = 1 << 25;
/** The estimated overhead of an account or a value beside its text, in UTF-16 units. */
const OVERHEAD_UNITS = 200;
/** A row number that no row has: SQLite counts rows from 1. */
const NO_ROW = 0;

/**
 * Finds the accounts of a batch by stable id, or by handle if the source has no stable id. It caches accounts, so that
 * each is read once and not at every observation.
 */
export class AccountResolver {
  readonly #batch: Batch;
  readonly #cache = new Map<number, KnownAccount>();
  #weight = 0;
  /** One account can be larger than the cache. It is read again only after it has grown by half. */
  #allowed = CACHE_UNITS;
  readonly #byStableId: Statement<[string], AccountRow>;
  readonly #byName: Statement<[string, string], AccountRow>;
  readonly #byFormerName: Statement<[string, Instant], AccountRow>;
  readonly #wasSeenAfter: Statement<[string, Instant, number], number>;
  readonly #wasSeenUpTo: Statement<[string, Instant, number], number>;
  readonly #addFormerName: Statement<[string, Instant, number]>;
  readonly #addRecord: Statement<[number, string, number]>;
  readonly #versions: Statement<[string], VersionRow>;
  readonly #setStableId: Statement<[string, number]>;
  readonly #setIdentity: Statement<[string, string, number]>;
  readonly #setObservedTo: Statement<[Instant, number, number]>;
  readonly #records: Statement<[string], { readonly id: number; readonly json: string; readonly checksum: number }>;
  readonly #setRecord: Statement<[string, number, number]>;

  constructor(batch: Batch) {
    const { database } = batch;
    const columns = 'SELECT id, screen_name, stable_id, identity, observed_to, observed_fields FROM account';
    this.#batch = batch;
    this.#byStableId = database.prepare(`${columns} WHERE stable_id = ?`);
    // services treat handles that differ only in case as equal; the exact match comes first
    this.#byName = database.prepare(`${columns} WHERE screen_name = ? COLLATE NOCASE ORDER BY screen_name <> ?, screen_name LIMIT 1`);
    this.#byFormerName = database.prepare(
      `${columns} WHERE id = (SELECT former_handle.account FROM former_handle JOIN account ON account.id = former_handle.account
        WHERE handle = ? AND seen_to >= ? ORDER BY seen_to, screen_name LIMIT 1)`,
    );
    this.#wasSeenAfter = database
      .prepare<[string, Instant, number], number>('SELECT 1 FROM former_handle WHERE handle = ? AND seen_to > ? AND account <> ? LIMIT 1')
      .pluck();
    this.#wasSeenUpTo = database
      .prepare<[string, Instant, number], number>('SELECT 1 FROM former_handle WHERE handle = ? AND seen_to = ? AND account = ?')
      .pluck();
    this.#addFormerName = database.prepare(
      'INSERT INTO former_handle (handle, seen_to, account) VALUES (?, CAST(? AS INTEGER), ?) ON CONFLICT DO NOTHING',
    );
    this.#addRecord = database.prepare('INSERT INTO record (id, json, checksum) VALUES (?, ?, ?)');
    this.#versions = database.prepare(
      'SELECT id, data_type, text, first_encountered_date AS date, crc32(json) IS checksum AS is_whole FROM record WHERE account = ? ORDER BY id',
    );
    this.#setStableId = database.prepare('UPDATE account SET stable_id = ? WHERE id = ?');
    this.#setIdentity = database.prepare('UPDATE account SET screen_name = ?, identity = ? WHERE id = ?');
    this.#setObservedTo = database.prepare(
      'UPDATE account SET observed_to = CAST(? AS INTEGER), observed_fields = CAST(? AS INTEGER) WHERE id = ?',
    );
    this.#records = database.prepare('SELECT id, json, checksum FROM record WHERE account = ?');
    this.#setRecord = database.prepare('UPDATE record SET json = ?, checksum = ? WHERE id = ?');
  }

  /** Returns the account of a profile that was observed at an instant. Returns undefined if it is new. */
  find({ id, screen_name }: Profile, formerNames: readonly string[], moment: Instant): KnownAccount | undefined {
    if (id === undefined) return this.#withHandle(screen_name, moment);
    return this.#load(this.#byStableId.get(id) ?? this.#withoutId([screen_name, ...formerNames]));
  }

  /** Sets the stable id of an account. */
  setStableId(account: KnownAccount, id: string): void {
    if (account.stable_id === id) return;
    this.#setStableId.run(id, account.row);
    account.stable_id = id;
    this.#batch.markMetadataChanged();
  }

  /**
   * Returns the name of an account after it was observed with a handle. It is that handle, unless another account was
   * observed with it later: then the handle has changed hands since.
   * @param account undefined if the account is new
   */
  nameAt({ id, screen_name }: Profile, moment: Instant, account: KnownAccount | undefined): string {
    if (account?.identity.screen_name === screen_name) return screen_name;
    // it had that handle up to this instant and lost it or changed it since: nothing changes back within one instant
    if (account !== undefined && this.#wasSeenUpTo.get(screen_name, moment, account.row) === 1) return account.identity.screen_name;
    const holder = this.#load(this.#byName.get(screen_name, screen_name));
    const isHeldLater = holder !== undefined && holder !== account && watermarkOf(holder) > moment;
    if (!isHeldLater && this.#wasSeenAfter.get(screen_name, moment, account?.row ?? NO_ROW) === undefined) return screen_name;
    return this.#nameWithout(screen_name, id ?? account?.stable_id, account);
  }

  /** Adds a new account under a name. An account that holds the name loses it. */
  add(name: string): KnownAccount {
    this.#free(name);
    this.#batch.ensureAccount(name);
    this.#batch.markChanged(name);
    const account = this.#load(this.#byName.get(name, name));
    if (account === undefined) throw new Error(`the account ${name} was added but cannot be found`);
    return account;
  }

  /**
   * Gives an account another identity. If its handle changes, its records show the new handle, and an account that held
   * the handle loses it.
   * @returns whether the handle has changed
   */
  setIdentity(account: KnownAccount, identity: Identity): boolean {
    const before = account.identity.screen_name;
    const isRenamed = before !== identity.screen_name;
    if (isRenamed) {
      this.#free(identity.screen_name, account);
      this.#addFormerName.run(before, watermarkOf(account), account.row);
    }
    this.#setIdentity.run(identity.screen_name, encodeIdentity(identity), account.row);
    account.identity = identity;
    if (isRenamed) this.#renameRecords(before, identity.screen_name);
    this.#batch.markChanged(identity.screen_name);
    return isRenamed;
  }

  /** Whether the cache is full and should be flushed. */
  get isFull(): boolean {
    return this.#weight > this.#allowed;
  }

  /** Clears the cache, and writes the instant of the latest observation of each account in it. */
  flush(): void {
    for (const { observed_to, observed_fields, row } of this.#cache.values())
      if (observed_to !== undefined) this.#setObservedTo.run(observed_to, observed_fields, row);
    this.#batch.markMetadataChanged();
    this.#cache.clear();
    this.#weight = 0;
    this.#allowed = CACHE_UNITS;
  }

  /** Adds a new record to the history of an account. */
  addRecord(account: KnownAccount, record: ChangeRecord): void {
    const { id, data_type, text, first_encountered_date } = record;
    const json = encodeRecord(record);
    this.#addRecord.run(id, json, checksumOf(json));
    this.#addVersion(account, data_type, { id, text, since: parseInstant(first_encountered_date) ?? 0 });
    this.#batch.markRecordChanged(record.account, id);
  }

  #addVersion(account: KnownAccount, type: DataType, version: Version): void {
    account.versions[type].push(version);
    this.#weight += OVERHEAD_UNITS + (version.text?.length ?? 0);
  }

  #load(row: AccountRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const cached = this.#cache.get(row.id);
    if (cached !== undefined) return cached;
    const identity: Identity = storedJson(this.#batch.database.path, `the account ${row.screen_name}`, row.identity);
    const account: KnownAccount = {
      row: row.id,
      stable_id: row.stable_id ?? undefined,
      identity,
      observed_to: row.observed_to ?? undefined,
      observed_fields: row.observed_fields,
      versions: { Name: [], Bio: [], Location: [], Website: [], Verified: [] },
      profile: undefined,
    };
    const before = this.#weight;
    let since = 0;
    for (const { id, data_type, text, date, is_whole } of this.#versions.all(row.screen_name)) {
      if (is_whole === 0) throw damaged(this.#batch.database.path, `record ${id} of ${row.screen_name} does not match its checksum`);
      // dates of a source can be out of order: a record that is later in the feed counts as later
      since = Math.max(since, parseInstant(date) ?? 0);
      this.#addVersion(account, data_type, { id, text, since });
    }
    this.#weight += OVERHEAD_UNITS;
    this.#allowed = Math.max(this.#allowed, 1.5 * (this.#weight - before));
    this.#cache.set(row.id, account);
    return account;
  }

  /** Returns the account that had a handle at an instant, as far as is known. Others may have had it before or since. */
  #withHandle(screenName: string, moment: Instant): KnownAccount | undefined {
    const holder = this.#load(this.#byName.get(screenName, screenName));
    if (holder !== undefined && watermarkOf(holder) <= moment) return holder;
    return this.#load(this.#byFormerName.get(screenName, moment)) ?? holder;
  }

  /** Returns an account that has a handle of the list and no stable id yet. */
  #withoutId(names: readonly string[]): AccountRow | undefined {
    for (const name of names) {
      const row = this.#byName.get(name, name);
      if (row !== undefined && row.stable_id === null) return row;
    }
    return undefined;
  }

  /** Takes a handle from the account that holds it, because another account has it now. The new handle of the former holder is unknown. */
  #free(screenName: string, except?: KnownAccount): void {
    const holder = this.#load(this.#byName.get(screenName, screenName));
    if (holder === undefined || holder.row === except?.row) return;
    const name = this.#nameWithout(holder.identity.screen_name, holder.stable_id, holder);
    this.setIdentity(holder, { ...holder.identity, screen_name: name });
    // an account that is observed again with the lost handle gets it back
    holder.profile = undefined;
  }

  /** Returns the name of an account that lost its handle to another. */
  #nameWithout(screenName: string, id: string | undefined, account: KnownAccount | undefined): string {
    let name = `${screenName}~${id ?? 'former'}`;
    for (let holder = this.#byName.get(name, name); holder !== undefined && holder.id !== account?.row; ) {
      name += '~';
      holder = this.#byName.get(name, name);
    }
    return name;
  }

  #renameRecords(before: string, after: string): void {
    this.#batch.clearNameCache();
    const { path } = this.#batch.database;
    for (const { id, json, checksum } of this.#records.all(before)) {
      if (checksumOf(json) !== checksum) throw damaged(path, `record ${id} of ${before} does not match its checksum`);
      const record: ChangeRecord = storedJson(path, `record ${id}`, json);
      const renamed = encodeRecord({ ...record, account: after });
      this.#setRecord.run(renamed, checksumOf(renamed), id);
      this.#batch.markRecordChanged(after, id);
    }
  }
}

/** Returns the identity that a profile shows, with the given name. Values that the profile lacks stay unchanged. */
export function identityIn(profile: Profile, name: string, before: Identity): Identity {
  return {
    screen_name: name,
    account_creation_date: profile.account_creation_date ?? before.account_creation_date,
    profile_image_url: profile.profile_image_url ?? before.profile_image_url,
  };
}
