import type { Collection } from '../../contract/pages/collection.ts';
import type { Connection } from '../../store/database/connection.ts';
import { type ItemKey, type MirrorState, stored } from '../../store/mirror-state.ts';
import { areTwoAccounts, namesakeKey, type PageItem } from '../service-page.ts';
import type { IdRange } from '../walk/gaps.ts';

const NONE: ReadonlySet<ItemKey> = new Set();
const SET_ITEM = `INSERT INTO item (collection, key, round, variant, is_new) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET round = excluded.round, variant = excluded.variant`;
const SHOWN_IN = `SELECT count(*) FROM item WHERE collection = 'data' AND key >= ? AND key < ? AND round = ?
  AND NOT EXISTS (SELECT 1 FROM gone WHERE gone.collection = item.collection AND gone.key = item.key)`;

/** The items on the pages of a run: which are new, which were seen in a round, and which are gone. */
export class SpooledItems {
  readonly #database: Connection;
  readonly #memory: MirrorState;
  readonly #gone: Record<Collection, number>;
  #wanted: number;

  /**
   * @param database the database of the run
   * @param memory what the store knows of the service
   */
  constructor(database: Connection, memory: MirrorState) {
    this.#database = database;
    this.#memory = memory;
    this.#gone = { data: this.goneItems('data').length, account: this.goneItems('account').length };
    this.#wanted = Number(database.value('SELECT count(*) FROM wanted'));
  }

  /** @returns the number of items that were not known before, and the number of items that are seen for the first time in this round */
  markSeen(collection: Collection, items: readonly PageItem[], round: number): { readonly fresh: number; readonly seen: number } {
    let [fresh, seen] = [0, 0];
    for (const item of items) {
      const key = this.#keyFor(collection, item, round);
      const before = this.#item(collection, key);
      const isNew = before === undefined && !this.#memory.has(collection, key);
      if (isNew) fresh += 1;
      if (before?.round !== round) seen += 1;
      this.#database.run(SET_ITEM, collection, stored(key), BigInt(round), item.variant, isNew ? 1n : 0n);
      this.#gone[collection] -= this.#database.run('DELETE FROM gone WHERE collection = ? AND key = ?', collection, key).changes;
      if (collection === 'account') this.#wanted -= this.#database.run('DELETE FROM wanted WHERE screen_name = ?', key).changes;
      else if (isNew && item.account !== null && !this.knows('account', item.account)) {
        const want = 'INSERT INTO wanted (screen_name) VALUES (?) ON CONFLICT DO NOTHING';
        this.#wanted += this.#database.run(want, item.account).changes;
      }
    }
    return { fresh, seen };
  }

  /**
   * Marks records of a page of accounts as seen which pages of the feed may have that could not be read.
   * @param ranges the ids of the records that these pages may have
   * @returns the number of records that were not known before
   */
  markSupplied(ids: readonly number[], ranges: readonly IdRange[], round: number): number {
    const supplied = ids.filter((id) => ranges.some(({ low, high }) => id >= low && id < high));
    return this.markSeen(
      'data',
      supplied.map((key) => ({ key, variant: null, account: null })),
      round,
    ).fresh;
  }

  /** Returns the number of records in a range that were seen in a round and are not marked as gone. */
  shownIn({ low, high }: IdRange, round: number): number {
    return this.#database.value<number>(SHOWN_IN, BigInt(low), BigInt(high), BigInt(round)) ?? 0;
  }

  /** Returns the known records in a range that were not seen in a round and are not marked as gone. */
  unseenRecords({ low, high }: IdRange, round: number): number[] {
    return this.absentRecords(low, high, NONE).filter((id) => this.#item('data', id)?.round !== round);
  }

  /** Returns the key of an item. Two accounts with one screen name get different keys. */
  #keyFor(collection: Collection, item: PageItem, round: number): ItemKey {
    if (collection === 'data' || item.variant === null) return item.key;
    const namesake = namesakeKey(String(item.key), item.variant);
    if (this.knows(collection, namesake)) return namesake;
    const other = this.#item(collection, item.key);
    const isOther = other?.round === round && other.variant !== null && areTwoAccounts(other.variant, item.variant);
    return isOther ? namesake : item.key;
  }

  #item(collection: Collection, key: ItemKey): { readonly round: number; readonly variant: string | null } | undefined {
    return this.#database.get('SELECT round, variant FROM item WHERE collection = ? AND key = ?', collection, key);
  }

  knows(collection: Collection, key: ItemKey): boolean {
    return this.#item(collection, key) !== undefined || this.#memory.has(collection, key);
  }

  /** Returns the known records with ids from `low` to before `high` that are not on a page and not marked as gone. */
  absentRecords(low: number, high: number, page: ReadonlySet<ItemKey>): number[] {
    const query = "SELECT key FROM item WHERE collection = 'data' AND is_new AND key >= ? AND key < ?";
    const known = [...this.#memory.recordsBetween(low, high), ...this.#database.values<number>(query, BigInt(low), BigInt(high))];
    const isGone = (id: number) => this.#database.value("SELECT 1 FROM gone WHERE collection = 'data' AND key = ?", id) === 1;
    return known.filter((id) => !page.has(id) && !isGone(id));
  }

  /** Marks known items as gone. An item that is seen later is no longer gone. */
  markGone(collection: Collection, keys: readonly ItemKey[]): void {
    const add = 'INSERT INTO gone (collection, key) VALUES (?, ?) ON CONFLICT DO NOTHING';
    for (const key of keys) this.#gone[collection] += this.#database.run(add, collection, stored(key)).changes;
  }

  /** The number of known items that are marked as gone. */
  gone(collection: Collection): number {
    return this.#gone[collection];
  }

  /** The number of accounts that new records name and that no page has shown. */
  get wanted(): number {
    return this.#wanted;
  }

  goneItems(collection: Collection): ItemKey[] {
    return this.#database.values('SELECT key FROM gone WHERE collection = ? ORDER BY key', collection);
  }

  unseen(collection: Collection, round: number): ItemKey[] {
    const known = [...this.#memory.keys(collection)].filter((key) => this.#item(collection, key)?.round !== round);
    const missed = 'SELECT key FROM item WHERE collection = ? AND is_new AND round <> ?';
    return [...known, ...this.#database.values<ItemKey>(missed, collection, BigInt(round))];
  }

  /** Yields the keys of the items that were not known before. */
  *newItems(collection: Collection): Generator<ItemKey> {
    const query = 'SELECT key FROM item WHERE collection = ? AND is_new AND key > ? ORDER BY key LIMIT +?';
    const rows = this.#database.rows<{ readonly key: ItemKey }>(query, [collection, -1], ({ key }) => [collection, key]);
    for (const { key } of rows) yield key;
  }
}
