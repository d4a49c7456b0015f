import { handleHash } from '../contract/accounts/exclusion.ts';
import type { Collection } from '../contract/collection.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import type { Connection, Statement } from './database/connection.ts';
import { setIncomplete } from './incomplete-mirrors.ts';

/** The key of an item of a service: the id of a record, or the screen name of an account. */
export type ItemKey = number | string;

/** What a store knows of a service as a whole. */
export interface MirrorSummary {
  /** Identifies the last run whose pages are in the store. */
  readonly run: string;
  /** Every record of the service up to this id has been read; null if there is no such id. */
  readonly watermark: number | null;
  /** By how much the service's `count` exceeds the items that it shows. */
  readonly excess: { readonly [C in Collection]: number };
  /** The build.json and the manifest of the tree that was read in full; null if it was not a tree, or not read in full. */
  readonly build: string | null;
  readonly manifest: Buffer | null;
}

interface MirrorRow {
  readonly id: number;
  readonly run: string;
  readonly watermark: number | null;
  readonly data_excess: number;
  readonly account_excess: number;
  readonly build: string | null;
  readonly manifest: Buffer | null;
}

/**
 * Returns the key of an account that was removed from the store. If the service still shows the account, a mirror must recognize it,
 * but the store must not contain its name.
 */
export function excludedKey(handle: string): string {
  return `excluded:${handleHash(handle)}`;
}

/** Replaces the names of removed accounts by hashes in everything that the store knows of services. */
export function forgetHandles(database: Connection, handles: Iterable<string>): void {
  const isName = "collection = 'account' AND handle_key(substr(key, 1, instr(key || char(10), char(10)) - 1)) = handle_key(:handle)";
  for (const handle of handles) {
    const key = excludedKey(handle);
    for (const [table, time] of [
      ['mirror_item', ''],
      ['mirror_gone', ', gone_at'],
    ]) {
      database
        .prepare<[{ handle: string; key: string }]>(
          `INSERT INTO ${table} (mirror, collection, key${time}) SELECT mirror, 'account', :key${time} FROM ${table} WHERE ${isName} ON CONFLICT DO NOTHING`,
        )
        .run({ handle, key });
      database.prepare<[{ handle: string }]>(`DELETE FROM ${table} WHERE ${isName}`).run({ handle });
    }
  }
  forgetContents(database);
}

/** Forgets accounts that are no longer excluded, so that they are new for the next mirror. */
export function forgetExcludedKeys(database: Connection, handleHashes: Iterable<string>): void {
  for (const table of ['mirror_item', 'mirror_gone']) {
    const remove = database.prepare<[string]>(`DELETE FROM ${table} WHERE collection = 'account' AND key = ?`);
    for (const hash of handleHashes) remove.run(`excluded:${hash}`);
  }
  forgetContents(database);
}

/**
 * Deletes what is remembered of the contents of items. The next mirror reads the pages with an ETag again, and reports
 * rejected items again.
 */
export function forgetContents(database: Connection): void {
  database.exec('DELETE FROM mirror_page; DELETE FROM mirror_rejected');
}

/** What a store knows of a service that was mirrored into it: which items it has shown, and its pages by their ETags. */
export class MirrorMemory {
  /** Undefined if nothing has been mirrored from there. */
  readonly summary: MirrorSummary | undefined;
  readonly #database: Connection;
  readonly #baseUrl: string;
  readonly #id: number;
  readonly #has: Statement<[number, Collection, ItemKey], number>;
  readonly #between: Statement<[number, bigint, bigint], number>;
  readonly #page: Statement<[number, Collection, number], { readonly etag: string; readonly contents: string }>;

  constructor(database: Connection, baseUrl: string) {
    this.#database = database;
    this.#baseUrl = baseUrl;
    const row = database.prepare<[string], MirrorRow>('SELECT * FROM mirror WHERE base_url = ?').get(baseUrl);
    // rows count from 1
    this.#id = row?.id ?? 0;
    this.summary = row && {
      run: row.run,
      watermark: row.watermark,
      excess: { data: row.data_excess, account: row.account_excess },
      build: row.build,
      manifest: row.manifest,
    };
    this.#has = database.prepareValue('SELECT 1 FROM mirror_item WHERE mirror = ? AND collection = ? AND key = ?');
    // without CAST, which would keep SQLite from using the index on a column of any type
    this.#between = database.prepareValue("SELECT key FROM mirror_item WHERE mirror = ? AND collection = 'data' AND key >= ? AND key < ?");
    this.#page = database.prepare('SELECT etag, contents FROM mirror_page WHERE mirror = ? AND collection = ? AND page = ?');
  }

  has(collection: Collection, key: ItemKey): boolean {
    return this.#has.get(this.#id, collection, key) === 1;
  }

  /** Whether the service no longer has an item, according to all runs. */
  isGone(collection: Collection, key: ItemKey): boolean {
    return (
      this.#database
        .prepareValue<[number, Collection, ItemKey], number>('SELECT 1 FROM mirror_gone WHERE mirror = ? AND collection = ? AND key = ?')
        .get(this.#id, collection, key) === 1
    );
  }

  /** Returns the number of known items of a collection. */
  count(collection: Collection): number {
    return (
      this.#database
        .prepareValue<[number, Collection], number>('SELECT count(*) FROM mirror_item WHERE mirror = ? AND collection = ?')
        .get(this.#id, collection) ?? 0
    );
  }

  /** Returns the ids of known records from `low` to before `high`. */
  recordsBetween(low: number, high: number): number[] {
    return this.#between.all(this.#id, BigInt(low), BigInt(high));
  }

  /** Yields the keys of the items of a collection, in their order. */
  *keys(collection: Collection): Generator<ItemKey> {
    const query = 'SELECT key FROM mirror_item WHERE mirror = ? AND collection = ? AND key > ? ORDER BY key LIMIT +?';
    const rows = this.#database.rows<{ readonly key: ItemKey }>(query, [this.#id, collection, -1], ({ key }) => [
      this.#id,
      collection,
      key,
    ]);
    for (const { key } of rows) yield key;
  }

  /** Returns the contents of a page that had an ETag. */
  page(collection: Collection, number: number): { readonly etag: string; readonly contents: string } | undefined {
    return this.#page.get(this.#id, collection, number);
  }

  /** Whether a version of an item was rejected. @param version its SHA-256 */
  hasRejected(version: string): boolean {
    return (
      this.#database
        .prepareValue<[number, string], number>('SELECT 1 FROM mirror_rejected WHERE mirror = ? AND version = ?')
        .get(this.#id, version) === 1
    );
  }

  /** Whether any item was rejected. */
  get hasRejects(): boolean {
    return this.#database.prepareValue<[number], number>('SELECT 1 FROM mirror_rejected WHERE mirror = ? LIMIT 1').get(this.#id) === 1;
  }

  /** Whether another service, mirrored into the same store, has shown an item. */
  isElsewhere(collection: Collection, key: ItemKey): boolean {
    return (
      this.#database
        .prepareValue<[number, Collection, ItemKey], number>('SELECT 1 FROM mirror_item WHERE mirror <> ? AND collection = ? AND key = ?')
        .get(this.#id, collection, key) === 1
    );
  }

  /**
   * Writes the state of the service, in the caller's batch. Returns the memory with the new state.
   * @param incomplete what the store lacks; undefined if it has everything that the service has
   */
  update(summary: MirrorSummary, incomplete: IncompleteMirror | undefined): MirrorMemory {
    setIncomplete(this.#database, this.#baseUrl, incomplete);
    this.#database
      .prepare(`INSERT INTO mirror (base_url, run, watermark, data_excess, account_excess, build, manifest)
        VALUES (?, ?, CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER), ?, ?)
        ON CONFLICT (base_url) DO UPDATE SET run = excluded.run, watermark = excluded.watermark, data_excess = excluded.data_excess,
          account_excess = excluded.account_excess, build = excluded.build, manifest = excluded.manifest`)
      .run(this.#baseUrl, summary.run, summary.watermark, summary.excess.data, summary.excess.account, summary.build, summary.manifest);
    return new MirrorMemory(this.#database, this.#baseUrl);
  }

  /** Returns the items that the service no longer has, according to all runs. */
  gone(collection: Collection): ItemKey[] {
    return this.#database
      .prepareValue<[number, Collection], ItemKey>('SELECT key FROM mirror_gone WHERE mirror = ? AND collection = ? ORDER BY key')
      .all(this.#id, collection);
  }

  /** Returns a writer of items and pages, for the caller's batch. */
  writer(): MirrorWriter {
    const key = '(mirror, collection, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    const where = 'WHERE mirror = ? AND collection = ? AND key = ?';
    const addItem = this.#database.prepare(`INSERT INTO mirror_item ${key}`);
    const removeItem = this.#database.prepare(`DELETE FROM mirror_item ${where}`);
    const addGone = this.#database.prepare(
      'INSERT INTO mirror_gone (mirror, collection, key, gone_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    const removeGone = this.#database.prepare(`DELETE FROM mirror_gone ${where}`);
    const addRejected = this.#database.prepare('INSERT INTO mirror_rejected (mirror, version) VALUES (?, ?) ON CONFLICT DO NOTHING');
    const setPage = this.#database.prepare(`INSERT INTO mirror_page (mirror, collection, page, etag, contents) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET etag = excluded.etag, contents = excluded.contents`);
    return {
      add: (collection, key) => {
        addItem.run(this.#id, collection, stored(key));
        removeGone.run(this.#id, collection, key);
      },
      setGone: (collection, key, time) => {
        removeItem.run(this.#id, collection, key);
        addGone.run(this.#id, collection, stored(key), time);
      },
      forget: (collection, key) => {
        removeGone.run(this.#id, collection, key);
      },
      addRejected: (version) => {
        addRejected.run(this.#id, version);
      },
      setPage: (collection, number, etag, contents) => {
        setPage.run(this.#id, collection, BigInt(number), etag, contents);
      },
    };
  }
}

/** Changes what a store knows of a service. */
export interface MirrorWriter {
  /** Adds an item that the service has shown. */
  readonly add: (collection: Collection, key: ItemKey) => void;
  /** Marks an item that the service no longer has. @param time when a run found that, in UTC */
  readonly setGone: (collection: Collection, key: ItemKey, time: string) => void;
  /** Forgets an item that the service no longer has, because the store no longer has it either. */
  readonly forget: (collection: Collection, key: ItemKey) => void;
  /** A version of an item was rejected. */
  readonly addRejected: (version: string) => void;
  readonly setPage: (collection: Collection, number: number, etag: string, contents: string) => void;
}

/** Converts a key for SQLite, because better-sqlite3 writes a number as REAL and a bigint as INTEGER. */
function stored(key: ItemKey): bigint | string {
  return typeof key === 'number' ? BigInt(key) : key;
}
