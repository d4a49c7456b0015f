import { parseInstant } from '../contract/instant.ts';
import { type ChangeRecord, encodeRecord } from '../contract/record.ts';
import type { AccountCache } from './account-cache.ts';
import type { AccountTable } from './account-table.ts';
import type { Batch } from './batch.ts';
import { checksumOf } from './checksum.ts';
import type { Statement } from './connection.ts';
import type { KnownAccount } from './known-account.ts';

/** Writes what observations add to an account: its stable id, its records and the instant of the latest observation. */
export class AccountWriter {
  readonly #batch: Batch;
  readonly #table: AccountTable;
  readonly #cache: AccountCache;
  readonly #addRecord: Statement<[number, string, number]>;

  constructor(batch: Batch, table: AccountTable, cache: AccountCache) {
    this.#batch = batch;
    this.#table = table;
    this.#cache = cache;
    this.#addRecord = batch.database.prepare('INSERT INTO record (id, json, checksum) VALUES (?, ?, ?)');
  }

  /** Sets the stable id of an account. */
  setStableId(account: KnownAccount, id: string): void {
    if (account.stable_id === id) return;
    this.#table.setStableId(account.row, id);
    account.stable_id = id;
    this.#batch.markMetadataChanged();
  }

  /** Adds a new record to the history of an account. */
  addRecord(account: KnownAccount, record: ChangeRecord): void {
    const { id, data_type, text, first_encountered_date } = record;
    const json = encodeRecord(record);
    this.#addRecord.run(id, json, checksumOf(json));
    this.#cache.addVersion(account, data_type, { id, text, since: parseInstant(first_encountered_date) ?? 0 });
    this.#batch.markRecordChanged(record.account, id);
  }

  /** Evicts the accounts of the cache that were not used recently, and writes the instant of their latest observation. Returns them. */
  evict(): readonly KnownAccount[] {
    this.#batch.markMetadataChanged();
    return this.#cache.evict();
  }

  /** Clears the cache, and writes the instant of the latest observation of each account in it. */
  flush(): void {
    this.#cache.flush();
    this.#batch.markMetadataChanged();
  }
}
