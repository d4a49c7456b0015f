import { hash } from 'node:crypto';
import { isObject } from '../../contract/json.ts';
import { handle, identifier } from '../../contract/json-shape.ts';
import type { Collection } from '../../contract/pages/collection.ts';

/** Which items a page has. It tells whether two pages have the same items, without all ids. A thread can send it. */
export interface PageItems {
  /** The collection of the items; undefined if there is none. */
  readonly collection: Collection | undefined;
  /** The ids of the first and the last record; undefined if there are no records. */
  readonly ids: { readonly first: number; readonly last: number } | undefined;
  /** For each account 64 bits of a hash of its name and creation date. Two accounts can have one name. */
  readonly accounts: readonly bigint[];
  /** Whether every item is of the collection and has an id or a name, and every record has a lower id than the record before it. */
  readonly isOrdered: boolean;
}

const NO_ITEMS: PageItems = { collection: undefined, ids: undefined, accounts: [], isOrdered: true };

export class PageItemsReader {
  #items = NO_ITEMS;
  readonly #accounts: bigint[] = [];

  /** Adds the next item of the page. @param collection undefined: it is not a valid JSON value, or no item of a collection */
  add(collection: Collection | undefined, item: unknown): void {
    const { id = undefined, screen_name: name = undefined, account_creation_date: created = undefined } = isObject(item) ? item : {};
    const first = collection === 'data' && identifier.accepts(id) ? id : undefined;
    const account = collection === 'account' && handle.accepts(name) ? accountKey(name, created) : undefined;
    this.join({
      collection,
      ids: first === undefined ? undefined : { first, last: first },
      accounts: account === undefined ? [] : [account],
      isOrdered: first !== undefined || account !== undefined,
    });
  }

  /** Adds the next items of the page. */
  join({ collection, ids, accounts, isOrdered }: PageItems): void {
    const before = this.#items;
    const isOther = collection !== undefined && collection !== (before.collection ?? collection);
    const isLower = before.ids === undefined || ids === undefined || ids.first < before.ids.last;
    for (const account of accounts) this.#accounts.push(account);
    this.#items = {
      collection: before.collection ?? collection,
      ids: ids === undefined ? before.ids : { first: before.ids?.first ?? ids.first, last: ids.last },
      accounts: this.#accounts,
      isOrdered: before.isOrdered && isOrdered && isLower && !isOther,
    };
  }

  get items(): PageItems {
    return this.#items;
  }
}

function accountKey(name: string, created: unknown): bigint {
  return BigInt(`0x${hash('sha256', `${name}\n${created}`).slice(0, 16)}`);
}

/** Counts different accounts by their hashes, with eight to sixteen bytes for each. */
export class DistinctAccounts {
  #keys = new BigUint64Array(1024);
  #length = 0;

  add(keys: readonly bigint[]): void {
    for (const key of keys) {
      if (this.#length === this.#keys.length) this.#grow();
      this.#keys[this.#length] = key;
      this.#length += 1;
    }
  }

  get size(): number {
    this.#removeRepeated();
    return this.#length;
  }

  #grow(): void {
    this.#removeRepeated();
    // if few keys were removed, the next removal would follow soon
    if (this.#length <= this.#keys.length / 2) return;
    const larger = new BigUint64Array(this.#keys.length * 2);
    larger.set(this.#keys);
    this.#keys = larger;
  }

  #removeRepeated(): void {
    const sorted = this.#keys.subarray(0, this.#length).sort();
    this.#length = 0;
    for (const key of sorted) {
      if (this.#length > 0 && this.#keys[this.#length - 1] === key) continue;
      this.#keys[this.#length] = key;
      this.#length += 1;
    }
  }
}
