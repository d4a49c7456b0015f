import { storedJson } from '../store/database/damaged.ts';
import { Store } from '../store/store.ts';
import { BUILD_RECORD } from '../tree/build-record.ts';
import { type AccountPlace, comparePlaces, type FoundAccount } from './pages/accounts.ts';
import type { Damaged, DamagedPages } from './pages/damaged-pages.ts';
import type { FoundRecord } from './pages/feed.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { Report } from './violation.ts';

/** The size of the JSON that is shown as a whole, in bytes. */
const MAX_SHOWN = 1 << 23;

/** One item of a store, to compare with an item of the tree. */
interface StoredItem<T> {
  readonly item: T;
  /** Returns the JSON of the item in UTF-8, in chunks. */
  readonly json: () => Iterable<Buffer>;
}

/** The items of a collection in the store, in the order of the collection. */
interface StoredItems<T> {
  readonly noun: 'record' | 'account';
  readonly items: Iterator<StoredItem<T>, void>;
  readonly nameOf: (item: T) => string | number;
  readonly compare: (a: T, b: T) => number;
  readonly damaged: DamagedPages<T>;
  /** The next item to compare; undefined after the last one. */
  next: StoredItem<T> | undefined;
}

function advance<T>(stored: StoredItems<T>): void {
  stored.next = stored.items.next().value ?? undefined;
}

/** Compares the items of a tree with those of a store during the walk. Both have the same order. */
export class StoreComparison {
  readonly #store: Store;
  readonly #report: Report;
  /** The build record, if the store changed since the build: that explains differences on pages without damage. */
  readonly #olderTree: string | undefined;
  readonly #records: StoredItems<number>;
  readonly #accounts: StoredItems<AccountPlace>;

  constructor(path: string, tree: TreeMetadata, damaged: Damaged, report: Report) {
    this.#store = Store.open(path);
    this.#report = report;
    const { fingerprint } = this.#store.revision;
    this.#olderTree = fingerprint === tree.build.store ? undefined : BUILD_RECORD;
    if (fingerprint !== tree.build.store) {
      const isOther = this.#store.revisionOf(tree.build.store) === undefined;
      report.add({
        rule: 'store-fingerprint',
        path: BUILD_RECORD,
        expected: fingerprint,
        found: `${tree.build.store}: ${isOther ? 'the store does not know this state' : 'the store has changed since the build, build again'}`,
      });
    }
    const [records, accounts] = [storedRecords(this.#store), storedAccounts(this.#store, tree.build.page_size)];
    this.#records = {
      ...{ noun: 'record', items: records, next: records.next().value ?? undefined },
      ...{ nameOf: (id) => id, compare: (a, b) => b - a, damaged: damaged.feed },
    };
    this.#accounts = {
      ...{ noun: 'account', items: accounts, next: accounts.next().value ?? undefined },
      ...{ nameOf: ({ name }) => name, compare: comparePlaces, damaged: damaged.accounts },
    };
  }

  /** Compares the next record of the feed. */
  record({ record, json, path }: FoundRecord): void {
    this.#compare(this.#records, record.id, () => [json], path);
  }

  /** Compares the next account. */
  account({ place, json, path }: FoundAccount): void {
    this.#compare(this.#accounts, place, json, path);
  }

  /** Reports the items of the store after the end of the tree. */
  end(): void {
    this.#reportMissing(this.#records, 'rest/data');
    this.#reportMissing(this.#accounts, 'rest/account');
  }

  close(): void {
    this.#store.close();
  }

  #compare<T>(stored: StoredItems<T>, item: T, json: () => Iterable<Buffer>, path: string): void {
    this.#reportMissing(stored, path, item);
    const { noun, next } = stored;
    const isStored = next !== undefined && stored.compare(next.item, item) === 0;
    if (isStored) advance(stored);
    const difference = isStored ? differenceIn(next.json(), json()) : 0;
    if (difference === undefined) return;
    const subject = `${noun} ${stored.nameOf(item)}`;
    // damage of the page explains a difference, or else the age of the tree
    const cause = this.#report.isDamaged(path) ? path : (this.#olderTree ?? path);
    const [expected, found] = isStored
      ? [shown(next.json(), difference), shown(json(), difference)]
      : [`the ${noun} in the store`, `no such ${noun}`];
    this.#report.add({ rule: isStored ? 'store-differs' : 'store-surplus', path, subject, expected, found, cause });
  }

  /** Reports the next items of the store that come before an item of the tree, or all of them if there is none. */
  #reportMissing<T>(stored: StoredItems<T>, path: string, item?: T): void {
    const { noun, damaged } = stored;
    for (; stored.next !== undefined && (item === undefined || stored.compare(stored.next.item, item) < 0); advance(stored)) {
      const [subject, cause] = [`${noun} ${stored.nameOf(stored.next.item)}`, damaged.at(stored.next.item) ?? this.#olderTree];
      const [expected, found] = [`the ${noun} in the tree`, `no such ${noun}`];
      this.#report.add({ rule: 'store-missing', path, subject, expected, found, cause });
    }
  }
}

function* storedRecords(store: Store): Generator<StoredItem<number>, void> {
  const cursor = store.feed();
  for (let one = cursor.take(1); one.json.length > 0; one = cursor.take(1)) {
    const { first, json } = one;
    yield { item: first, json: () => [json] };
  }
  store.checkFeed(cursor.checksum);
}

function* storedAccounts(store: Store, pageSize: number): Generator<StoredItem<AccountPlace>, void> {
  const cursor = store.accounts();
  for (let one = cursor.take(1); one.revision > 0; one = cursor.take(1)) {
    const { first, read } = one;
    const [head = ''] = read(pageSize);
    const [name] = NAME.exec(head.toString()) ?? [''];
    yield { item: { first, name: storedJson(store.path, 'an account', `${name}}`).screen_name }, json: () => read(pageSize) };
  }
  store.checkAccounts(cursor.taken);
}

/** Matches the start of the JSON of an account, up to its name. */
const NAME = /^\{"screen_name":"(?:[^"\\]|\\.)*"/;

/** Returns the position of the first byte that differs; undefined if all bytes are the same. */
function differenceIn(expected: Iterable<Buffer>, found: Iterable<Buffer>): number | undefined {
  const rest = found[Symbol.iterator]();
  let [at, piece]: [number, Buffer] = [0, Buffer.alloc(0)];
  const more = () => {
    while (piece.length === 0) {
      const next = rest.next();
      if (next.done) return false;
      piece = next.value;
    }
    return true;
  };
  for (let one of expected) {
    while (one.length > 0) {
      const length = more() ? Math.min(one.length, piece.length) : 0;
      if (length === 0 || !one.subarray(0, length).equals(piece.subarray(0, length))) return at;
      [at, one, piece] = [at + length, one.subarray(length), piece.subarray(length)];
    }
  }
  return more() ? at : undefined;
}

/** Returns JSON as text. @param difference the first byte that differs, to show it instead of a long JSON */
function shown(json: Iterable<Buffer>, difference: number): string {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const piece of json) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_SHOWN) return `JSON of more than ${MAX_SHOWN} bytes, which differs from byte ${difference} on`;
  }
  return Buffer.concat(pieces).toString();
}
