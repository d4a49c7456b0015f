import type { Collection } from '../../src/contract/pages/collection.ts';
import type { Reading } from '../../src/mirror/page-reader.ts';
import { pageAddress } from '../../src/mirror/service-page.ts';
import type { PageName } from '../../src/mirror/walk/reading-plan.ts';

/** A mirror that asks more often goes round in circles. */
const LIMIT = 20_000;
/** The lowest id before the first reset, and how much lower the ids are after each reset. No id comes twice: it identifies a record. */
const FIRST_ID = 1_000_000;
const RESET_STEP = 10_000;
const BASE = 'https://service.example';

/** A change of a service between two requests. */
export type Change =
  | { readonly kind: 'grow'; readonly records: number; readonly newAccounts: number }
  | { readonly kind: 'remove'; readonly at: number; readonly records: number }
  | { readonly kind: 'remove accounts'; readonly at: number; readonly accounts: number }
  | { readonly kind: 'rename account'; readonly at: number }
  | { readonly kind: 'reset'; readonly records: number }
  /** From now on, these pages and no others cannot be read. Each is a collection and a number. */
  | { readonly kind: 'fail'; readonly pages: readonly string[] };

/** A service in memory, newest record first, that changes before some of its requests. */
export class SimulatedService {
  /** Ids, newest first. */
  records: number[] = [];
  /** Screen names, in the order in which they came. */
  accounts: string[] = [];
  /** What the feed held when it was asked last. */
  lastShown: readonly number[] = [];
  lastAccounts: readonly string[] = [];
  requests = 0;
  /** The number of the request before which it changed last. */
  lastChange = 0;
  /** The numbers of the requests for pages of accounts. */
  readonly accountRequests: number[] = [];
  readonly #pageSize: number;
  readonly #changes: ReadonlyMap<number, readonly Change[]>;
  #firstId = FIRST_ID;
  #nextId = FIRST_ID;
  #nextAccount = 0;
  #failing: ReadonlySet<string> = new Set();

  /** @param changes by the number of the request that they come before, from 0 */
  constructor(pageSize: number, records: number, changes: ReadonlyMap<number, readonly Change[]>) {
    this.#pageSize = pageSize;
    this.#changes = changes;
    this.#grow(records, Math.ceil(records / 3));
  }

  addressOf({ collection, number }: PageName): string {
    return pageAddress(BASE, collection, number);
  }

  async read({ collection, number }: PageName): Promise<Reading> {
    for (const change of this.#changes.get(this.requests) ?? []) {
      this.apply(change);
      this.lastChange = this.requests;
    }
    if (collection === 'account') this.accountRequests.push(this.requests);
    this.requests += 1;
    if (this.requests > LIMIT) throw new Error('the mirror does not end');
    const all = collection === 'data' ? this.records : this.accounts;
    const pages = Math.max(1, Math.ceil(all.length / this.#pageSize));
    if (collection === 'data') this.lastShown = this.records;
    else this.lastAccounts = this.accounts;
    if (number > pages) return { kind: 'missing' };
    if (this.#failing.has(`${collection} ${number}`)) return { kind: 'failed', reason: 'status 500' };
    const items = all.slice((number - 1) * this.#pageSize, number * this.#pageSize).map((key) => this.#item(collection, key));
    const next = number < pages ? pageAddress(BASE, collection, number + 1) : null;
    return { kind: 'page', url: '', contents: { count: all.length, next, items }, etag: null, sent: null };
  }

  #item(collection: Collection, key: number | string) {
    return collection === 'data'
      ? { key, variant: null, account: this.#accountOf(Number(key)) }
      : { key, variant: '|', account: null, records: this.records.filter((id) => this.#accountOf(id) === key) };
  }

  #accountOf(id: number): string | null {
    return this.accounts[id % this.accounts.length] ?? null;
  }

  apply(change: Change): void {
    if (change.kind === 'grow') this.#grow(change.records, change.newAccounts);
    if (change.kind === 'remove accounts') {
      this.accounts = this.accounts.toSpliced(Math.floor(change.at * this.accounts.length), change.accounts);
    }
    if (change.kind === 'rename account' && this.accounts.length > 0) {
      this.accounts = this.accounts.with(Math.floor(change.at * this.accounts.length), `account${this.#nextAccount}`);
      this.#nextAccount += 1;
    }
    if (change.kind === 'remove') this.records = this.records.toSpliced(Math.floor(change.at * this.records.length), change.records);
    if (change.kind === 'fail') this.#failing = new Set(change.pages);
    if (change.kind === 'reset') {
      this.records = [];
      this.#firstId -= RESET_STEP;
      this.#nextId = this.#firstId;
      this.#grow(change.records, 0);
    }
  }

  #grow(records: number, accounts: number): void {
    const names = Array.from({ length: accounts }, (_, index) => `account${this.#nextAccount + index}`);
    this.#nextAccount += accounts;
    this.accounts = [...this.accounts, ...names];
    const added: number[] = [];
    for (let index = 0; index < records; index += 1) {
      this.#nextId += 1 + (this.#nextId % 3);
      added.push(this.#nextId);
    }
    this.records = [...added.reverse(), ...this.records];
  }
}
