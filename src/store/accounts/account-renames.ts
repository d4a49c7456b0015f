import { encodeIdentity, type Identity } from '../../contract/account.ts';
import { handleKey } from '../../contract/accounts/handle.ts';
import type { Instant } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Profile } from '../../contract/snapshots/observation.ts';
import type { Statement } from '../database/connection.ts';
import { storedJson } from '../database/store-error.ts';
import { checkedJson, encodedRecord, type StoredRecord } from '../feed/records.ts';
import type { Batch } from '../writing/batch.ts';
import { ADD_FORMER_HANDLE } from './account-rows.ts';
import { type KnownAccount, watermarkOf } from './known-account.ts';
import type { ObservedAccounts } from './observed-accounts.ts';

/** A row number that no row has: SQLite counts rows from 1. */
const NO_ROW = 0;

/** Gives handles to accounts. A handle belongs to one account at a time, so its holder can lose it to another. */
export class AccountRenames {
  readonly #batch: Batch;
  readonly #accounts: ObservedAccounts;
  readonly #wasSeenAfter: Statement<[string, Instant, number], number>;
  readonly #wasSeenUpTo: Statement<[string, Instant, number], number>;
  readonly #addFormerHandle: Statement<[string, Instant, number]>;
  readonly #formerHandles: Statement<[number], string>;
  readonly #setIdentity: Statement<[string, string, number]>;
  readonly #records: Statement<[number], StoredRecord>;
  /** The time at which an account lost its handle; removed when it gets one. */
  readonly #lostAt = new Map<number, Instant>();

  constructor(batch: Batch, accounts: ObservedAccounts) {
    const { database } = batch;
    this.#batch = batch;
    this.#accounts = accounts;
    const wasSeen = 'SELECT 1 FROM former_handle WHERE handle = ?';
    this.#wasSeenAfter = database.prepareValue(`${wasSeen} AND seen_to > ? AND account <> ? LIMIT 1`);
    this.#wasSeenUpTo = database.prepareValue(`${wasSeen} AND seen_to = ? AND account = ?`);
    this.#addFormerHandle = database.prepare(ADD_FORMER_HANDLE);
    this.#formerHandles = database.prepareValue('SELECT handle FROM former_handle WHERE account = ?');
    this.#setIdentity = database.prepare('UPDATE account SET screen_name = ?, identity = ? WHERE id = ?');
    this.#records = database.prepare('SELECT id, json, checksum FROM record WHERE account = ?');
  }

  /**
   * Returns the name of an account after it was observed with a handle. It is that handle, unless another account was
   * observed with it later: then the handle has changed hands since. An account that was observed without a handle keeps its
   * name. If it is new, its name is its stable id until a handle is observed.
   * @param account undefined if the account is new
   */
  nameAt({ id, screen_name }: Profile, instant: Instant, account: KnownAccount | undefined): string {
    if (screen_name === undefined) return account?.identity.screen_name ?? this.#unused(id ?? 'unknown', account);
    if (account?.identity.screen_name === screen_name) return screen_name;
    // it had the handle up to this instant and got another one then: a snapshot of the same instant does not change it back
    const { spellings } = this.#accounts;
    const hadItUpTo = (row: number) =>
      spellings.first(screen_name, (spelling) => this.#wasSeenUpTo.get(spelling, instant, row)) !== undefined;
    if (account !== undefined && hadItUpTo(account.row)) return account.identity.screen_name;
    const holder = this.#accounts.holderOf(screen_name);
    const isHeldLater = holder !== undefined && holder !== account && watermarkOf(holder) > instant;
    const seenAfter = spellings.first(screen_name, (spelling) => this.#wasSeenAfter.get(spelling, instant, account?.row ?? NO_ROW));
    if (!isHeldLater && seenAfter === undefined) return screen_name;
    return this.#nameWithout(screen_name, id ?? account?.stable_id, account);
  }

  /** Whether an account has a handle or had it before, also if it lost the handle to another account. */
  hasOrHad({ row, identity }: KnownAccount, handle: string): boolean {
    const keyOf = (name: string) => handleKey(name.replace(/~.*$/s, ''));
    return [identity.screen_name, ...this.#formerHandles.all(row)].some((name) => keyOf(name) === keyOf(handle));
  }

  /** Sets the stable id of an account. The pages say of each former handle whether the account has one. */
  setStableId(account: KnownAccount, id: string): void {
    if (account.stable_id === id) return;
    this.#accounts.setStableId(account, id);
    if (this.#formerHandles.get(account.row) !== undefined) this.#batch.markRenamed(account.identity.screen_name);
  }

  /** Adds a new account. An account that holds its name loses it. */
  add(identity: Identity, stableId: string | undefined): KnownAccount {
    this.#free(identity.screen_name);
    this.#batch.markChanged(identity.screen_name);
    return this.#accounts.add(identity, stableId);
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
      // in a swap, the interim name `handle~id` is never observed
      if (this.#lostAt.get(account.row) !== this.#accounts.now) {
        this.#addFormerHandle.run(before, watermarkOf(account), account.row);
        this.#accounts.spellings.add(before);
      }
      this.#lostAt.delete(account.row);
    }
    this.#setIdentity.run(identity.screen_name, encodeIdentity(identity), account.row);
    this.#accounts.spellings.add(identity.screen_name);
    account.identity = identity;
    if (isRenamed) {
      this.#renameRecords(account.row, before, identity.screen_name);
      this.#batch.markRenamed(identity.screen_name);
    } else this.#batch.markChanged(identity.screen_name);
    return isRenamed;
  }

  /** Takes a handle from the account that holds it, because another account has it now. The new handle of the former holder is unknown. */
  #free(screenName: string, except?: KnownAccount): void {
    const holder = this.#accounts.holderOf(screenName);
    if (holder === undefined || holder.row === except?.row) return;
    const name = this.#nameWithout(holder.identity.screen_name, holder.stable_id, holder);
    this.setIdentity(holder, { ...holder.identity, screen_name: name });
    this.#lostAt.set(holder.row, this.#accounts.now);
    // an account that is observed again with the lost handle gets it back
    holder.profile = undefined;
  }

  /** Returns the name of an account that lost its handle to another. */
  #nameWithout(screenName: string, id: string | undefined, account: KnownAccount | undefined): string {
    return this.#unused(`${screenName}~${id ?? 'former'}`, account);
  }

  /** Returns a name that no other account has: the given one, with `~` appended if necessary. */
  #unused(start: string, account: KnownAccount | undefined): string {
    let name = start;
    const isHeld = () => (this.#accounts.holderOf(name)?.row ?? account?.row) !== account?.row;
    while (isHeld()) name += '~';
    return name;
  }

  #renameRecords(account: number, before: string, after: string): void {
    this.#batch.clearNameCache();
    const { path } = this.#batch.database;
    for (const row of this.#records.all(account)) {
      const record: ChangeRecord = storedJson(path, `record ${row.id}`, checkedJson(path, row, before));
      this.#batch.putRecord(encodedRecord({ ...record, account: after }), account);
    }
  }
}
