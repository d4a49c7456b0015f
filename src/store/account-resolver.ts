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
  /** Whether the record is what was written. */
  readonly is_whole: 0 | 1;
}

/** How much of what accounts are known to have been is held at once, before all is forgotten, in UTF-16 units. */
const CACHE_UNITS = 1 << 25;
/** What an account, or a value, takes beside its text. */
const OVERHEAD_UNITS = 200;
/** What no row is numbered: SQLite counts them from 1. */
const NO_ROW = 0;

/**
 * The accounts of a batch, found by what a source knows them by: a stable id where it has one, the handle
 * otherwise. What has been found is held, so that an account is read once and not at every observation.
 */
export class AccountResolver {
  readonly #batch: Batch;
  readonly #held = new Map<number, KnownAccount>();
  #weight = 0;
  /** One account may be more than is to be held: it is read again only after it has grown by half. */
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
    // services tell no handles apart that differ in case alone; the same case comes first
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

  /** The account that a profile is of, which was seen at some moment; undefined where it is new. */
  find({ id, screen_name }: Profile, formerNames: readonly string[], moment: Instant): KnownAccount | undefined {
    if (id === undefined) return this.#withHandle(screen_name, moment);
    return this.#hold(this.#byStableId.get(id) ?? this.#withoutId([screen_name, ...formerNames]));
  }

  /** Notes by which stable id an account is known from now on. */
  setStableId(account: KnownAccount, id: string): void {
    if (account.stable_id === id) return;
    this.#setStableId.run(id, account.row);
    account.stable_id = id;
    this.#batch.markMetadataChanged();
  }

  /**
   * The name that an account has after it was seen with a handle: that handle, unless another account was
   * seen with it later, so that it must have changed hands since.
   * @param account undefined: it is new
   */
  nameAt({ id, screen_name }: Profile, moment: Instant, account: KnownAccount | undefined): string {
    if (account?.identity.screen_name === screen_name) return screen_name;
    // it has had that handle up to this moment, and lost or left it since: at one moment nothing changes back
    if (account !== undefined && this.#wasSeenUpTo.get(screen_name, moment, account.row) === 1) return account.identity.screen_name;
    const holder = this.#hold(this.#byName.get(screen_name, screen_name));
    const isHeldLater = holder !== undefined && holder !== account && watermarkOf(holder) > moment;
    if (!isHeldLater && this.#wasSeenAfter.get(screen_name, moment, account?.row ?? NO_ROW) === undefined) return screen_name;
    return this.#nameWithout(screen_name, id ?? account?.stable_id, account);
  }

  /** Adds a new account under a name; whoever holds that loses it. */
  add(name: string): KnownAccount {
    this.#free(name);
    this.#batch.ensureAccount(name);
    this.#batch.markChanged(name);
    const account = this.#hold(this.#byName.get(name, name));
    if (account === undefined) throw new Error(`the account ${name} was added and is not there`);
    return account;
  }

  /**
   * Gives an account another identity. If its handle is new, its records show it from now on, and
   * whoever held it loses it.
   * @returns whether the handle is new
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

  /** Whether so much is held that all should be forgotten. */
  get isFull(): boolean {
    return this.#weight > this.#allowed;
  }

  /** Forgets what is held, and notes up to when each of these accounts has been observed. */
  flush(): void {
    for (const { observed_to, observed_fields, row } of this.#held.values())
      if (observed_to !== undefined) this.#setObservedTo.run(observed_to, observed_fields, row);
    this.#batch.markMetadataChanged();
    this.#held.clear();
    this.#weight = 0;
    this.#allowed = CACHE_UNITS;
  }

  /** Adds a new record to an account's history. */
  addRecord(account: KnownAccount, record: ChangeRecord): void {
    const { id, data_type, text, first_encountered_date } = record;
    const json = encodeRecord(record);
    this.#addRecord.run(id, json, checksumOf(json));
    this.#learn(account, data_type, { id, text, since: parseInstant(first_encountered_date) ?? 0 });
    this.#batch.markRecordChanged(record.account, id);
  }

  #learn(account: KnownAccount, type: DataType, version: Version): void {
    account.versions[type].push(version);
    this.#weight += OVERHEAD_UNITS + (version.text?.length ?? 0);
  }

  #hold(row: AccountRow | undefined): KnownAccount | undefined {
    if (row === undefined) return undefined;
    const held = this.#held.get(row.id);
    if (held !== undefined) return held;
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
      if (is_whole === 0) throw damaged(this.#batch.database.path, `record ${id} of ${row.screen_name} is not what was written`);
      // what a source gave may be out of order: what stands later in the feed is taken for later
      since = Math.max(since, parseInstant(date) ?? 0);
      this.#learn(account, data_type, { id, text, since });
    }
    this.#weight += OVERHEAD_UNITS;
    this.#allowed = Math.max(this.#allowed, 1.5 * (this.#weight - before));
    this.#held.set(row.id, account);
    return account;
  }

  /** The account that had a handle at a moment, as far as is known: others may have had it before, or since. */
  #withHandle(screenName: string, moment: Instant): KnownAccount | undefined {
    const holder = this.#hold(this.#byName.get(screenName, screenName));
    if (holder !== undefined && watermarkOf(holder) <= moment) return holder;
    return this.#hold(this.#byFormerName.get(screenName, moment)) ?? holder;
  }

  /** An account that is known by its handle alone so far. */
  #withoutId(names: readonly string[]): AccountRow | undefined {
    for (const name of names) {
      const row = this.#byName.get(name, name);
      if (row !== undefined && row.stable_id === null) return row;
    }
    return undefined;
  }

  /** Takes a handle from the account that holds it: it has gone to another, and which one this has now is not known. */
  #free(screenName: string, except?: KnownAccount): void {
    const holder = this.#hold(this.#byName.get(screenName, screenName));
    if (holder === undefined || holder.row === except?.row) return;
    const name = this.#nameWithout(holder.identity.screen_name, holder.stable_id, holder);
    this.setIdentity(holder, { ...holder.identity, screen_name: name });
    // seen again with the handle it has lost, it gets it back
    holder.profile = undefined;
  }

  /** What an account is called that lost a handle to another. */
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
      if (checksumOf(json) !== checksum) throw damaged(path, `record ${id} of ${before} is not what was written`);
      const record: ChangeRecord = storedJson(path, `record ${id}`, json);
      const renamed = encodeRecord({ ...record, account: after });
      this.#setRecord.run(renamed, checksumOf(renamed), id);
      this.#batch.markRecordChanged(after, id);
    }
  }
}

/** The identity under a name that a profile shows; what the profile does not tell stays. */
export function identityIn(profile: Profile, name: string, before: Identity): Identity {
  return {
    screen_name: name,
    account_creation_date: profile.account_creation_date ?? before.account_creation_date,
    profile_image_url: profile.profile_image_url ?? before.profile_image_url,
  };
}
