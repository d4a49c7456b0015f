import { encodeIdentity, type Identity } from '../contract/account.ts';
import type { Instant } from '../contract/instant.ts';
import type { Profile } from '../contract/observation.ts';
import { type ChangeRecord, encodeRecord } from '../contract/record.ts';
import type { AccountCache } from './account-cache.ts';
import type { AccountTable } from './account-table.ts';
import type { Batch } from './batch.ts';
import { checksumOf } from './checksum.ts';
import type { Statement } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';
import { type KnownAccount, watermarkOf } from './known-account.ts';

/** Gives handles to accounts. A handle belongs to one account at a time, so its holder can lose it to another. */
export class HandleTransfer {
  readonly #batch: Batch;
  readonly #table: AccountTable;
  readonly #cache: AccountCache;
  readonly #records: Statement<[string], { readonly id: number; readonly json: string; readonly checksum: number }>;
  readonly #setRecord: Statement<[string, number, number]>;

  constructor(batch: Batch, table: AccountTable, cache: AccountCache) {
    this.#batch = batch;
    this.#table = table;
    this.#cache = cache;
    this.#records = batch.database.prepare('SELECT id, json, checksum FROM record WHERE account = ?');
    this.#setRecord = batch.database.prepare('UPDATE record SET json = ?, checksum = ? WHERE id = ?');
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
    if (account !== undefined && this.#table.hadHandleUpTo(screen_name, instant, account.row)) return account.identity.screen_name;
    const holder = this.#holderOf(screen_name);
    const isHeldLater = holder !== undefined && holder !== account && watermarkOf(holder) > instant;
    if (!isHeldLater && !this.#table.hadHandleAfter(screen_name, instant, account?.row)) return screen_name;
    return this.#nameWithout(screen_name, id ?? account?.stable_id, account);
  }

  /** Adds a new account. An account that holds its name loses it. */
  add(identity: Identity, stableId: string | undefined): KnownAccount {
    this.#free(identity.screen_name);
    this.#batch.markChanged(identity.screen_name);
    return this.#cache.add(identity, stableId);
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
      this.#table.addFormerHandle(before, watermarkOf(account), account.row);
    }
    this.#table.setIdentity(account.row, identity.screen_name, encodeIdentity(identity));
    account.identity = identity;
    if (isRenamed) this.#renameRecords(before, identity.screen_name);
    this.#batch.markChanged(identity.screen_name);
    return isRenamed;
  }

  #holderOf(name: string): KnownAccount | undefined {
    return this.#cache.load(this.#table.byName(name));
  }

  /** Takes a handle from the account that holds it, because another account has it now. The new handle of the former holder is unknown. */
  #free(screenName: string, except?: KnownAccount): void {
    const holder = this.#holderOf(screenName);
    if (holder === undefined || holder.row === except?.row) return;
    const name = this.#nameWithout(holder.identity.screen_name, holder.stable_id, holder);
    this.setIdentity(holder, { ...holder.identity, screen_name: name });
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
    for (let holder = this.#table.byName(name); holder !== undefined && holder.id !== account?.row; ) {
      name += '~';
      holder = this.#table.byName(name);
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
