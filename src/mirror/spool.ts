import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Collection } from '../contract/collection.ts';
import { Connection, type Statement } from '../store/connection.ts';
import type { ItemKey, MirrorMemory } from '../store/mirror-memory.ts';
import { mkdirp } from '../store/mkdirp.ts';
import { wrapErrors } from '../store/store-error.ts';
import { areTwoAccounts, namesakeKey, type PageContents, type PageItem } from './service-page.ts';

/** A page that was read. */
export interface SpooledPage {
  readonly url: string;
  readonly collection: Collection;
  readonly number: number;
  readonly etag: string | null;
  /** {@link PageContents} as JSON. */
  readonly contents: string;
  /** The page, compressed with gzip; null after a 304. */
  readonly body: Buffer | null;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The pages and the state of a run, in a file beside the store. Each page is saved together with the state after it, so a killed run
 * resumes there. The store does not change until all pages are read.
 */
export class Spool<State> {
  readonly path: string;
  readonly #database: Connection;
  readonly #memory: MirrorMemory;
  readonly #addPage: Statement<[string, string, bigint, string | null, string, Buffer | null]>;
  readonly #lastPage: Statement<[string, number], { readonly etag: string | null; readonly contents: string }>;
  readonly #item: Statement<[string, ItemKey], { readonly round: number; readonly variant: string | null }>;
  readonly #setItem: Statement<[string, bigint | string, bigint, string | null, bigint]>;
  readonly #newBetween: Statement<[bigint, bigint], number>;
  readonly #setGone: Statement<[bigint]>;
  readonly #unsetGone: Statement<[number]>;
  readonly #want: Statement<[string]>;
  readonly #removeWanted: Statement<[string]>;
  readonly #pageCount: Statement<[], number>;
  #gone: number;
  #wanted: number;

  /** @param memory what the store knows of the service */
  constructor(path: string, memory: MirrorMemory) {
    mkdirp(dirname(path));
    this.path = path;
    this.#memory = memory;
    const database = wrapErrors(path, () => open(path));
    this.#database = database;
    this.#addPage = database.prepare('INSERT INTO page (url, collection, number, etag, contents, body) VALUES (?, ?, ?, ?, ?, ?)');
    this.#lastPage = database.prepare('SELECT etag, contents FROM page WHERE collection = ? AND number = ? ORDER BY id DESC LIMIT 1');
    this.#item = database.prepare('SELECT round, variant FROM item WHERE collection = ? AND key = ?');
    this.#setItem = database.prepare(`INSERT INTO item (collection, key, round, variant, is_new) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET round = excluded.round, variant = excluded.variant`);
    this.#newBetween = database
      .prepare<[bigint, bigint], number>("SELECT key FROM item WHERE collection = 'data' AND is_new AND key >= ? AND key < ?")
      .pluck();
    this.#setGone = database.prepare('INSERT INTO gone (id) VALUES (?) ON CONFLICT DO NOTHING');
    this.#unsetGone = database.prepare('DELETE FROM gone WHERE id = CAST(? AS INTEGER)');
    this.#want = database.prepare('INSERT INTO wanted (screen_name) VALUES (?) ON CONFLICT DO NOTHING');
    this.#removeWanted = database.prepare('DELETE FROM wanted WHERE screen_name = ?');
    this.#pageCount = database.prepare<[], number>('SELECT count(*) FROM page').pluck();
    this.#gone = Number(database.value('SELECT count(*) FROM gone'));
    this.#wanted = Number(database.value('SELECT count(*) FROM wanted'));
  }

  /** The state after the last page; undefined at the beginning. */
  get state(): State | undefined {
    const json = this.#database.prepare<[], string>('SELECT json FROM state').pluck().get();
    if (json === undefined) return undefined;
    const state: State = JSON.parse(json);
    return state;
  }

  /** The tree whose pages are read. */
  get tree(): { readonly build: string; readonly manifest: Buffer } | undefined {
    return this.#database.prepare<[], { build: string; manifest: Buffer }>('SELECT build, manifest FROM tree').get();
  }

  /** Runs changes in a transaction: all of them are saved, or none. */
  transaction<T>(work: () => T): T {
    return wrapErrors(this.path, () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } finally {
        if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      }
    });
  }

  setState(state: State): void {
    this.#database
      .prepare<[string]>('INSERT INTO state (id, json) VALUES (1, ?) ON CONFLICT DO UPDATE SET json = excluded.json')
      .run(JSON.stringify(state));
  }

  setTree(tree: { readonly build: string; readonly manifest: Buffer } | undefined): void {
    this.#database.exec('DELETE FROM tree');
    if (tree !== undefined) {
      this.#database.prepare<[string, Buffer]>('INSERT INTO tree (build, manifest) VALUES (?, ?)').run(tree.build, tree.manifest);
    }
  }

  /** @param sent the body as it was sent, with or without gzip; null if the page has not changed */
  addPage(page: Omit<SpooledPage, 'contents' | 'body'>, contents: PageContents, sent: Buffer | null): void {
    const body = sent === null || sent.subarray(0, 2).equals(GZIP_MAGIC) ? sent : gzipSync(sent, { level: 1 });
    this.#addPage.run(page.url, page.collection, BigInt(page.number), page.etag, JSON.stringify(contents), body);
  }

  /** Returns the contents of a page in this run, or in an earlier run if the page had an ETag. */
  known(collection: Collection, number: number): { readonly etag: string | null; readonly contents: string } | undefined {
    return this.#lastPage.get(collection, number) ?? this.#memory.page(collection, number);
  }

  /**
   * Marks the items of a page as seen in a round.
   * @returns the number of items that were not known before, and of those that had not been seen in this round
   */
  markSeen(collection: Collection, items: readonly PageItem[], round: number): { readonly fresh: number; readonly seen: number } {
    let [fresh, seen] = [0, 0];
    for (const item of items) {
      const key = this.#keyFor(collection, item, round);
      const before = this.#item.get(collection, key);
      const isNew = before === undefined && !this.#memory.has(collection, key);
      if (isNew) fresh += 1;
      if (before?.round !== round) seen += 1;
      this.#setItem.run(collection, typeof key === 'number' ? BigInt(key) : key, BigInt(round), item.variant, isNew ? 1n : 0n);
      if (collection === 'account') this.#wanted -= this.#removeWanted.run(String(key)).changes;
      else {
        if (typeof key === 'number') this.#gone -= this.#unsetGone.run(key).changes;
        if (isNew && item.account !== null && !this.knows('account', item.account)) {
          this.#wanted += this.#want.run(item.account).changes;
        }
      }
    }
    return { fresh, seen };
  }

  /** Returns the key of an item. Two accounts with one screen name get different keys. */
  #keyFor(collection: Collection, item: PageItem, round: number): ItemKey {
    if (collection === 'data' || item.variant === null) return item.key;
    const other = this.#item.get(collection, item.key);
    const isOther = other?.round === round && other.variant !== null && areTwoAccounts(other.variant, item.variant);
    return isOther ? namesakeKey(String(item.key), item.variant) : item.key;
  }

  knows(collection: Collection, key: ItemKey): boolean {
    return this.#item.get(collection, key) !== undefined || this.#memory.has(collection, key);
  }

  /** Marks known records as gone: those with ids from `low` to before `high` that are not on a page. */
  markGone(low: number, high: number, page: ReadonlySet<ItemKey>): void {
    for (const id of [...this.#memory.recordsBetween(low, high), ...this.#newBetween.all(BigInt(low), BigInt(high))]) {
      if (!page.has(id)) this.#gone += this.#setGone.run(BigInt(id)).changes;
    }
  }

  /** The number of known records that are marked as gone. */
  get gone(): number {
    return this.#gone;
  }

  /** The number of accounts that new records name and that no page has shown. */
  get wanted(): number {
    return this.#wanted;
  }

  /** Returns the ids of the records that are marked as gone. */
  goneRecords(): number[] {
    return this.#database.prepare<[], number>('SELECT id FROM gone ORDER BY id').pluck().all();
  }

  /** Yields the keys of known items that were not seen in a round. */
  *unseen(collection: Collection, round: number): Generator<ItemKey> {
    for (const key of this.#memory.keys(collection)) if (this.#item.get(collection, key)?.round !== round) yield key;
    const missed = this.#database
      .prepare<[string, number], ItemKey>('SELECT key FROM item WHERE collection = ? AND is_new AND round <> CAST(? AS INTEGER)')
      .pluck();
    yield* missed.all(collection, round);
  }

  /** Yields the keys of the items that were not known before. */
  *newItems(collection: Collection): Generator<ItemKey> {
    const next = this.#database
      .prepare<[string, ItemKey], ItemKey>('SELECT key FROM item WHERE collection = ? AND is_new AND key > ? ORDER BY key LIMIT +1000')
      .pluck();
    for (let last: ItemKey = -1; ; ) {
      const run = next.all(collection, last);
      yield* run;
      const end = run.at(-1);
      if (end === undefined) return;
      last = end;
    }
  }

  /** The number of pages that were read. */
  get pageCount(): number {
    return this.#pageCount.get() ?? 0;
  }

  /** Yields the pages in the order in which they were read. */
  *pages(): Generator<SpooledPage> {
    const next = this.#database.prepare<[bigint], SpooledPage & { readonly id: number }>(
      'SELECT * FROM page WHERE id > ? ORDER BY id LIMIT 1',
    );
    for (let page = next.get(0n); page !== undefined; page = next.get(BigInt(page.id))) yield page;
  }

  close(): void {
    this.#database.close();
  }

  /** Deletes the file. */
  remove(): void {
    this.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.path + suffix, { force: true });
  }
}

function open(path: string): Connection {
  const database = new Connection(path);
  // a power failure can lose the last pages, but does not damage those before them
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec(`
    CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS tree (build TEXT NOT NULL, manifest BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS page (
      id INTEGER PRIMARY KEY, url TEXT NOT NULL, collection TEXT NOT NULL, number INTEGER NOT NULL,
      etag TEXT, contents TEXT NOT NULL, body BLOB
    ) STRICT;
    CREATE INDEX IF NOT EXISTS page_number ON page (collection, number);
    CREATE TABLE IF NOT EXISTS item (
      collection TEXT NOT NULL, key ANY NOT NULL, round INTEGER NOT NULL, variant TEXT, is_new INTEGER NOT NULL,
      PRIMARY KEY (collection, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE IF NOT EXISTS wanted (screen_name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `);
  return database;
}
