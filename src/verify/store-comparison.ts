import { type Account, parseAccount } from '../contract/account.ts';
import { encodeJson } from '../contract/json.ts';
import { parseRecord } from '../contract/record.ts';
import { Violation as BrokenRule } from '../contract/shape.ts';
import { damaged, storedJson } from '../store/damaged.ts';
import { Store } from '../store/store.ts';
import { BUILD_RECORD } from '../tree/build-record.ts';
import { comparePlaces, type FoundAccount, placeOf } from './pages/accounts.ts';
import type { Damaged } from './pages/damaged-pages.ts';
import type { FoundRecord } from './pages/feed.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { Report } from './violation.ts';

/** The number of items to read from the store at once. */
const BATCH = 100;

/** One item of a store, to compare with an item of the tree. */
interface StoredItem<T> {
  readonly item: T;
  /** The JSON of the item, in UTF-8. */
  readonly json: Buffer;
}

/** Compares the items of a tree with those of a store during the walk. Both have the same order. */
export class StoreComparison {
  readonly #store: Store;
  readonly #report: Report;
  readonly #damaged: Damaged;
  /** The build record, if the store changed since the build: that explains differences on pages without damage. */
  readonly #olderTree: string | undefined;
  readonly #records: Generator<StoredItem<number>, void>;
  readonly #accounts: Generator<StoredItem<Account>, void>;
  #record: StoredItem<number> | undefined;
  #account: StoredItem<Account> | undefined;

  constructor(path: string, tree: TreeMetadata, damaged: Damaged, report: Report) {
    this.#store = Store.open(path);
    this.#report = report;
    this.#damaged = damaged;
    const { fingerprint } = this.#store.revision;
    this.#olderTree = fingerprint === tree.build.store ? undefined : BUILD_RECORD;
    if (fingerprint !== tree.build.store) {
      report.add({
        rule: 'store-fingerprint',
        path: BUILD_RECORD,
        expected: fingerprint,
        found: `${tree.build.store}: the store has changed since the build, build again`,
      });
    }
    this.#records = storedRecords(this.#store);
    this.#accounts = storedAccounts(this.#store, tree.build.page_size);
    this.#record = this.#records.next().value ?? undefined;
    this.#account = this.#accounts.next().value ?? undefined;
  }

  /** Compares the next record of the feed. */
  record({ record, json, path }: FoundRecord): void {
    for (; this.#record !== undefined && this.#record.item > record.id; this.#record = this.#records.next().value ?? undefined)
      this.#missing(`record ${this.#record.item}`, path, this.#damaged.feed.at(this.#record.item));
    if (this.#record?.item !== record.id) {
      this.#report.add({
        rule: 'store-surplus',
        path,
        subject: `record ${record.id}`,
        expected: 'the record in the store',
        found: 'no such record',
        cause: this.#causeAt(path),
      });
      return;
    }
    if (!this.#record.json.equals(json)) this.#differs(`record ${record.id}`, path, this.#record.json, json);
    this.#record = this.#records.next().value ?? undefined;
  }

  /** Compares the next account. */
  account({ account, json: encode, path }: FoundAccount): void {
    const json = encode();
    const subject = `account ${account.screen_name}`;
    for (
      ;
      this.#account !== undefined && comparePlaces(placeOf(this.#account.item), placeOf(account)) < 0;
      this.#account = this.#accounts.next().value ?? undefined
    ) {
      this.#missing(`account ${this.#account.item.screen_name}`, path, this.#damaged.accounts.at(placeOf(this.#account.item)));
    }
    if (this.#account === undefined || comparePlaces(placeOf(this.#account.item), placeOf(account)) !== 0) {
      const cause = this.#causeAt(path);
      this.#report.add({
        rule: 'store-surplus',
        path,
        subject,
        expected: 'the account in the store',
        found: 'no such account',
        cause,
      });
      return;
    }
    if (!this.#account.json.equals(json)) this.#differs(subject, path, this.#account.json, json);
    this.#account = this.#accounts.next().value ?? undefined;
  }

  /** Reports the items of the store after the end of the tree. */
  end(): void {
    for (; this.#record !== undefined; this.#record = this.#records.next().value ?? undefined)
      this.#missing(`record ${this.#record.item}`, 'rest/data', this.#damaged.feed.at(this.#record.item));
    for (; this.#account !== undefined; this.#account = this.#accounts.next().value ?? undefined)
      this.#missing(`account ${this.#account.item.screen_name}`, 'rest/account', this.#damaged.accounts.at(placeOf(this.#account.item)));
  }

  close(): void {
    this.#store.close();
  }

  /** Returns the cause of a difference in an item that is on a page of the tree. */
  #causeAt(path: string): string {
    return this.#report.isDamaged(path) ? path : (this.#olderTree ?? path);
  }

  #differs(subject: string, path: string, expected: Buffer, found: Buffer): void {
    const [stored, published] = [expected.toString(), found.toString()];
    this.#report.add({ rule: 'store-differs', path, subject, expected: stored, found: published, cause: this.#causeAt(path) });
  }

  #missing(subject: string, path: string, damagedPage: string | undefined): void {
    const noun = subject.split(' ')[0];
    this.#report.add({
      rule: 'store-missing',
      path,
      subject,
      expected: `the ${noun} in the tree`,
      found: `no such ${noun}`,
      cause: damagedPage ?? this.#olderTree,
    });
  }
}

function* storedRecords(store: Store): Generator<StoredItem<number>, void> {
  const cursor = store.feed('first');
  for (let { json } = cursor.take(BATCH); json.length > 0; json = cursor.take(BATCH).json) {
    for (const value of list(store, json)) {
      const record = parsed(store, 'a record', () => parseRecord(value));
      yield { item: record.id, json: Buffer.from(encodeJson(value)) };
    }
  }
  store.checkFeed(cursor.checksum);
}

function* storedAccounts(store: Store, pageSize: number): Generator<StoredItem<Account>, void> {
  const cursor = store.accounts('first');
  for (let json = cursor.take(BATCH).read(pageSize); json.length > 0; json = cursor.take(BATCH).read(pageSize)) {
    for (const value of list(store, json)) {
      yield { item: parsed(store, 'an account', () => parseAccount(value)), json: Buffer.from(encodeJson(value)) };
    }
  }
  store.checkAccounts(cursor.taken);
}

function list(store: Store, json: Buffer): unknown[] {
  const values: unknown = storedJson(store.path, 'a run of records or accounts', `[${json.toString()}]`);
  return Array.isArray(values) ? values : [];
}

function parsed<T>(store: Store, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    throw damaged(store.path, `${what} breaks a rule: ${error.message}`, error);
  }
}
