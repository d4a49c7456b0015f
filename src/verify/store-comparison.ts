import { type Account, parseAccount } from '../contract/account.ts';
import { encodeJson } from '../contract/json.ts';
import { parseRecord } from '../contract/record.ts';
import { Violation as BrokenRule } from '../contract/shape.ts';
import { damaged, storedJson } from '../store/damaged.ts';
import { Store } from '../store/store.ts';
import { compareAccounts, type FoundAccount } from './accounts.ts';
import type { FoundRecord } from './feed.ts';
import type { TreeMetadata } from './tree-pages.ts';
import type { Report } from './violation.ts';

/** The number of items to read from the store at once. */
const BATCH = 100;

/** One item of a store, to compare with an item of the tree. */
interface StoredItem<T> {
  readonly item: T;
  readonly json: string;
}

/** Compares the items of a tree with those of a store during the walk. Both have the same order. */
export class StoreComparison {
  readonly #store: Store;
  readonly #report: Report;
  readonly #records: Generator<StoredItem<number>, void>;
  readonly #accounts: Generator<StoredItem<Account>, void>;
  #record: StoredItem<number> | undefined;
  #account: StoredItem<Account> | undefined;

  constructor(path: string, tree: TreeMetadata, report: Report) {
    this.#store = Store.open(path);
    this.#report = report;
    const { fingerprint } = this.#store.revision;
    if (fingerprint !== tree.build.store) {
      report.add({
        rule: 'store-fingerprint',
        path: 'build.json',
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
      this.#missing(`record ${this.#record.item}`, path);
    if (this.#record?.item !== record.id) {
      this.#report.add({
        rule: 'store-surplus',
        path,
        subject: `record ${record.id}`,
        expected: 'a record of the store',
        found: 'missing from the store',
      });
      return;
    }
    if (this.#record.json !== json)
      this.#report.add({ rule: 'store-differs', path, subject: `record ${record.id}`, expected: this.#record.json, found: json });
    this.#record = this.#records.next().value ?? undefined;
  }

  /** Compares the next account. */
  account({ account, json, path }: FoundAccount): void {
    const subject = `account ${account.screen_name}`;
    for (
      ;
      this.#account !== undefined && compareAccounts(this.#account.item, account) < 0;
      this.#account = this.#accounts.next().value ?? undefined
    ) {
      this.#missing(`account ${this.#account.item.screen_name}`, path);
    }
    if (this.#account === undefined || compareAccounts(this.#account.item, account) !== 0) {
      this.#report.add({ rule: 'store-surplus', path, subject, expected: 'an account of the store', found: 'missing from the store' });
      return;
    }
    if (this.#account.json !== json) this.#report.add({ rule: 'store-differs', path, subject, expected: this.#account.json, found: json });
    this.#account = this.#accounts.next().value ?? undefined;
  }

  /** Reports the items of the store after the end of the tree. */
  end(): void {
    for (; this.#record !== undefined; this.#record = this.#records.next().value ?? undefined)
      this.#missing(`record ${this.#record.item}`, 'rest/data');
    for (; this.#account !== undefined; this.#account = this.#accounts.next().value ?? undefined)
      this.#missing(`account ${this.#account.item.screen_name}`, 'rest/account');
  }

  close(): void {
    this.#store.close();
  }

  #missing(subject: string, path: string): void {
    this.#report.add({
      rule: 'store-missing',
      path,
      subject,
      expected: `the ${subject.split(' ')[0]} in the tree`,
      found: 'missing from the tree',
    });
  }
}

function* storedRecords(store: Store): Generator<StoredItem<number>, void> {
  const cursor = store.feed('first');
  for (let { json } = cursor.take(BATCH); json.length > 0; json = cursor.take(BATCH).json) {
    for (const value of list(store, json)) {
      const record = parsed(store, 'a record', () => parseRecord(value));
      yield { item: record.id, json: encodeJson(value) };
    }
  }
  store.checkFeed(cursor.checksum);
}

function* storedAccounts(store: Store, pageSize: number): Generator<StoredItem<Account>, void> {
  const cursor = store.accounts('first');
  for (let json = cursor.take(BATCH).read(pageSize); json.length > 0; json = cursor.take(BATCH).read(pageSize)) {
    for (const value of list(store, json)) {
      yield { item: parsed(store, 'an account', () => parseAccount(value)), json: encodeJson(value) };
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
