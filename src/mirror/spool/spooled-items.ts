import type { Collection } from '../../contract/collection.ts';
import type { Connection, Statement } from '../../store/database/connection.ts';
import type { ItemKey, MirrorMemory } from '../../store/mirror-memory.ts';
import { areTwoAccounts, namesakeKey, type PageItem } from '../service-page.ts';
import type { IdRange } from '../walk/gaps.ts';

const NONE: ReadonlySet<ItemKey> = new Set();

/** The items on the pages of a run: which are new, which were seen in a round, and which are gone. */
export class SpooledItems {
  readonly #database: Connection;
  readonly #memory: MirrorMemory;
  readonly #item: Statement<[string, ItemKey], { readonly round: number; readonly variant: string | null }>;
  readonly #setItem: Statement<[string, bigint | string, bigint, string | null, bigint]>;
  readonly #newBetween: Statement<[bigint, bigint], number>;
  readonly #shownIn: Statement<[bigint, bigint, bigint], number>;
  readonly #setGone: Statement<[Collection, bigint | string]>;
  readonly #isGone: Statement<[Collection, ItemKey], number>;
  readonly #unsetGone: Statement<[Collection, ItemKey]>;
  readonly #want: Statement<[string]>;
  readonly #removeWanted: Statement<[string]>;
  readonly #gone: Record<Collection, number>;
  #wanted: number;

  /**
   * @param database the database of the run
   * @param memory what the store knows of the service
   */
  constructor(database: Connection, memory: MirrorMemory) {
    this.#database = database;
    this.#memory = memory;
    this.#item = database.prepare('SELECT round, variant FROM item WHERE collection = ? AND key = ?');
    this.#setItem = database.prepare(`INSERT INTO item (collection, key, round, variant, is_new) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET round = excluded.round, variant = excluded.variant`);
    this.#newBetween = database.prepareValue("SELECT key FROM item WHERE collection = 'data' AND is_new AND key >= ? AND key < ?");
    this.#shownIn = database.prepareValue(`SELECT count(*) FROM item WHERE collection = 'data' AND key >= ? AND key < ? AND round = ?
      AND NOT EXISTS (SELECT 1 FROM gone WHERE gone.collection = item.collection AND gone.key = item.key)`);
    this.#setGone = database.prepare('INSERT INTO gone (collection, key) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#isGone = database.prepare('SELECT 1 FROM gone WHERE collection = ? AND key = ?');
    this.#unsetGone = database.prepare('DELETE FROM gone WHERE collection = ? AND key = ?');
    this.#want = database.prepare('INSERT INTO wanted (screen_name) VALUES (?) ON CONFLICT DO NOTHING');
    this.#removeWanted = database.prepare('DELETE FROM wanted WHERE screen_name = ?');
    this.#gone = { data: this.goneItems('data').length, account: this.goneItems('account').length };
    this.#wanted = Number(database.value('SELECT count(*) FROM wanted'));
  }

  /**
   * Marks the items of a page as seen in a round.
   * @returns the number of items that were not known before, and the number of items that are seen for the first time in this round
   */
  markSeen(collection: Collection, items: readonly PageItem[], round: number): { readonly fresh: number; readonly seen: number } {
    let [fresh, seen] = [0, 0];
    for (const item of items) {
      const key = this.#keyFor(collection, item, round);
      const before = this.#item.get(collection, key);
      const isNew = before === undefined && !this.#memory.has(collection, key);
      if (isNew) fresh += 1;
      if (before?.round !== round) seen += 1;
      this.#setItem.run(collection, stored(key), BigInt(round), item.variant, isNew ? 1n : 0n);
      this.#gone[collection] -= this.#unsetGone.run(collection, key).changes;
      if (collection === 'account') this.#wanted -= this.#removeWanted.run(String(key)).changes;
      else if (isNew && item.account !== null && !this.knows('account', item.account)) {
        this.#wanted += this.#want.run(item.account).changes;
      }
    }
    return { fresh, seen };
  }

  /**
   * Marks records that a page of accounts shows and that are not known, unless they are gone. Also marks the known ones that pages of
   * the feed, which could not be read, may have.
   * @param ranges the ids of the records that these pages may have
   * @returns the number of records that were not known before
   */
  markSupplied(ids: readonly number[], ranges: readonly IdRange[], round: number): number {
    const isUnknown = (id: number) => !this.knows('data', id) && !this.#memory.isGone('data', id);
    const supplied = ids.filter((id) => ranges.some(({ low, high }) => id >= low && id < high) || isUnknown(id));
    return this.markSeen(
      'data',
      supplied.map((key) => ({ key, variant: null, account: null })),
      round,
    ).fresh;
  }

  /** Returns the number of records in a range that were seen in a round and are not marked as gone. */
  shownIn({ low, high }: IdRange, round: number): number {
    return this.#shownIn.get(BigInt(low), BigInt(high), BigInt(round)) ?? 0;
  }

  /** Returns the known records in a range that were not seen in a round and are not marked as gone. */
  unseenRecords({ low, high }: IdRange, round: number): number[] {
    return this.absentRecords(low, high, NONE).filter((id) => this.#item.get('data', id)?.round !== round);
  }

  /** Returns the key of an item. Two accounts with one screen name get different keys. */
  #keyFor(collection: Collection, item: PageItem, round: number): ItemKey {
    if (collection === 'data' || item.variant === null) return item.key;
    const namesake = namesakeKey(String(item.key), item.variant);
    if (this.knows(collection, namesake)) return namesake;
    const other = this.#item.get(collection, item.key);
    const isOther = other?.round === round && other.variant !== null && areTwoAccounts(other.variant, item.variant);
    return isOther ? namesake : item.key;
  }

  knows(collection: Collection, key: ItemKey): boolean {
    return this.#item.get(collection, key) !== undefined || this.#memory.has(collection, key);
  }

  /** Returns the known records with ids from `low` to before `high` that are not on a page and not marked as gone. */
  absentRecords(low: number, high: number, page: ReadonlySet<ItemKey>): number[] {
    const known = [...this.#memory.recordsBetween(low, high), ...this.#newBetween.all(BigInt(low), BigInt(high))];
    return known.filter((id) => !page.has(id) && this.#isGone.get('data', id) === undefined);
  }

  /** Marks known items as gone. An item that is seen later is no longer gone. */
  markGone(collection: Collection, keys: readonly ItemKey[]): void {
    for (const key of keys) this.#gone[collection] += this.#setGone.run(collection, stored(key)).changes;
  }

  /** The number of known items that are marked as gone. */
  gone(collection: Collection): number {
    return this.#gone[collection];
  }

  /** The number of accounts that new records name and that no page has shown. */
  get wanted(): number {
    return this.#wanted;
  }

  /** Returns the keys of the items that are marked as gone. */
  goneItems(collection: Collection): ItemKey[] {
    return this.#database.prepareValue<[Collection], ItemKey>('SELECT key FROM gone WHERE collection = ? ORDER BY key').all(collection);
  }

  /** Returns the keys of known items that were not seen in a round. */
  unseen(collection: Collection, round: number): ItemKey[] {
    const known = [...this.#memory.keys(collection)].filter((key) => this.#item.get(collection, key)?.round !== round);
    const missed = this.#database.prepareValue<[string, bigint], ItemKey>(
      'SELECT key FROM item WHERE collection = ? AND is_new AND round <> ?',
    );
    return [...known, ...missed.all(collection, BigInt(round))];
  }

  /** Yields the keys of the items that were not known before. */
  *newItems(collection: Collection): Generator<ItemKey> {
    const query = 'SELECT key FROM item WHERE collection = ? AND is_new AND key > ? ORDER BY key LIMIT +?';
    const rows = this.#database.rows<{ readonly key: ItemKey }>(query, [collection, -1], ({ key }) => [collection, key]);
    for (const { key } of rows) yield key;
  }
}

/** Returns a key as SQLite stores it. better-sqlite3 would write a number as REAL, so it becomes a bigint. */
function stored(key: ItemKey): bigint | string {
  return typeof key === 'number' ? BigInt(key) : key;
}
