import { type Account, encodeIdentity, encodeSummary } from '../contract/account.ts';
import type { ConflictPolicy } from '../contract/conflict-policy.ts';
import { type ChangeRecord, encodeRecord } from '../contract/record.ts';
import { AccountRemover } from './account-remover.ts';
import type { Batch } from './batch.ts';
import { checksumOf } from './checksum.ts';
import type { Statement } from './connection.ts';
import { damaged } from './damaged.ts';
import { forgetHandles } from './mirror-memory.ts';

/** The result for one item. A conflict changes nothing and contains both versions. */
export type Outcome = 'added' | 'same' | 'kept' | 'replaced' | 'excluded' | Conflict;

/** How many items had each outcome. */
export interface Tally {
  readonly added: number;
  readonly same: number;
  readonly kept: number;
  readonly replaced: number;
  /** Items of accounts that were removed and must not come back. */
  readonly excluded: number;
}

export const NO_ITEMS: Tally = { added: 0, same: 0, kept: 0, replaced: 0, excluded: 0 };

export interface Conflict {
  /** Such as `record 12` or `account jack`. */
  readonly subject: string;
  readonly stored: string;
  readonly found: string;
  /** What to do, if no policy resolves the conflict. */
  readonly hint?: string;
}

/** Counts items as excluded that were added before the batch learned that their account is. */
export function withdraw(tally: { added: number; excluded: number }, items: number): void {
  // an account that an earlier batch added under that name is removed too
  tally.added -= Math.min(tally.added, items);
  tally.excluded += items;
}

interface StoredRecord {
  readonly json: string;
  readonly checksum: number;
}

interface Profile {
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

/** Writes records and accounts of a history service into a batch. */
export class ItemWriter {
  readonly #batch: Batch;
  readonly #policy: ConflictPolicy;
  readonly #markOwnerStale: Statement<[number]>;
  readonly #addRecord: Statement<[number, string, number]>;
  readonly #record: Statement<[number], StoredRecord>;
  readonly #replaceRecord: Statement<[string, number, number]>;
  readonly #profile: Statement<[string], Profile>;
  readonly #setProfile: Statement<[string, string, number, string]>;

  constructor(batch: Batch, policy: ConflictPolicy) {
    const { database } = batch;
    this.#batch = batch;
    this.#policy = policy;
    this.#markOwnerStale = database.prepare(
      'UPDATE account SET revision = NULL WHERE screen_name = (SELECT account FROM record WHERE id = ?)',
    );
    this.#addRecord = database.prepare('INSERT INTO record (id, json, checksum) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
    this.#record = database.prepare('SELECT json, checksum FROM record WHERE id = ?');
    this.#replaceRecord = database.prepare('UPDATE record SET json = ?, checksum = ? WHERE id = ?');
    this.#profile = database.prepare('SELECT identity, summary, known_to FROM account WHERE screen_name = ?');
    this.#setProfile = database.prepare('UPDATE account SET identity = ?, summary = ?, known_to = ? WHERE screen_name = ?');
  }

  addRecord(record: ChangeRecord): Outcome {
    return this.#batch.guard(() => {
      if (this.#batch.exclusions.excludesRecord(record)) return this.#excluded();
      this.#batch.ensureAccount(record.account);
      const json = encodeRecord(record);
      if (this.#addRecord.run(record.id, json, checksumOf(json)).changes === 1) {
        this.#batch.markRecordChanged(record.account, record.id);
        return 'added';
      }
      const stored = this.#record.get(record.id);
      if (stored?.json === json) return 'same';
      if (this.#policy === 'replace') {
        this.#markOwnerStale.run(record.id);
        this.#replaceRecord.run(json, checksumOf(json), record.id);
        this.#batch.markRecordChanged(record.account, record.id);
      } else if (stored !== undefined && checksumOf(stored.json) !== stored.checksum) {
        throw damaged(this.#batch.database.path, `record ${record.id} of ${record.account} does not match its checksum`);
      }
      return this.#outcome(`record ${record.id}`, stored?.json ?? '', json);
    });
  }

  /**
   * Adds the profile of an account. Its records are added one by one. Of two profiles, the one with the newer record is
   * the later, in whatever order they are imported. They conflict only if their newest record is the same.
   */
  addProfile(account: Account): Outcome {
    return this.#batch.guard(() => {
      if (this.#batch.exclusions.hasHandle(account.screen_name)) return this.#excluded();
      this.#batch.ensureAccount(account.screen_name);
      const [identity, summary] = [encodeIdentity(account), encodeSummary(account)];
      const knownTo = account.data.reduce((newest, record) => Math.max(newest, record.id), 0);
      const stored = this.#profile.get(account.screen_name);
      const set = () => {
        this.#setProfile.run(identity, summary, knownTo, account.screen_name);
        this.#batch.markChanged(account.screen_name);
      };
      if (stored === undefined || stored.known_to === null) {
        set();
        return 'added';
      }
      if (stored.identity === identity && stored.summary === summary) {
        if (stored.known_to < knownTo) {
          this.#setProfile.run(identity, summary, knownTo, account.screen_name);
          this.#batch.markChanged(account.screen_name);
        }
        return 'same';
      }
      if (stored.known_to > knownTo) return 'kept';
      if (stored.known_to < knownTo || this.#policy === 'replace') {
        set();
        return 'replaced';
      }
      return this.#outcome(`account ${account.screen_name}`, stored.identity + stored.summary, identity + summary);
    });
  }

  /**
   * Deletes what the batch added of accounts before a record showed that they are excluded. Call it once, after all items.
   * @returns how much was deleted
   */
  withdrawExcluded(): { readonly records: number; readonly accounts: number } {
    return this.#batch.guard(() => {
      const remover = new AccountRemover(this.#batch);
      let [records, accounts] = [0, 0];
      for (const handle of this.#batch.exclusions.learned) {
        const removed = remover.remove(handle);
        if (removed === undefined) continue;
        this.#batch.exclusions.addRecords(handle, removed.serviceIds);
        records += removed.records;
        accounts += 1;
      }
      if (this.#batch.exclusions.learned.size > 0) forgetHandles(this.#batch.database, this.#batch.exclusions.learned);
      if (accounts > 0) this.#batch.database.exec('UPDATE exclusion SET is_erased = 0');
      return { records, accounts };
    });
  }

  /** Notes that the list of exclusions may have changed. */
  #excluded(): Outcome {
    this.#batch.markMetadataChanged();
    return 'excluded';
  }

  #outcome(subject: string, stored: string, found: string): Outcome {
    if (this.#policy === 'replace') return 'replaced';
    return this.#policy === 'keep' ? 'kept' : { subject, stored, found };
  }
}
