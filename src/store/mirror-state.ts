import { handleHash } from '../contract/accounts/exclusion.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { encodeJson } from '../contract/json.ts';
import type { Collection } from '../contract/pages/collection.ts';
import type { Connection } from './database/connection.ts';

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
  readonly run: string | null;
  readonly watermark: number | null;
  readonly data_excess: number;
  readonly account_excess: number;
  readonly build: string | null;
  readonly manifest: Buffer | null;
  readonly complete_at: string | null;
}

/**
 * Returns the key of an account that was removed from the store. If the service still shows the account, a mirror must recognize it,
 * but the store must not contain its name.
 */
export function excludedKey(handle: string): string {
  return `excluded:${handleHash(handle)}`;
}

/** Forgets accounts that are no longer excluded, so that they are new for the next mirror. */
export function forgetExcludedKeys(database: Connection, handleHashes: Iterable<string>): void {
  for (const table of ['mirror_item', 'mirror_gone'])
    for (const hash of handleHashes) database.run(`DELETE FROM ${table} WHERE collection = 'account' AND key = ?`, `excluded:${hash}`);
  forgetContents(database);
}

/**
 * Deletes what is remembered of the contents of items. The next mirror reads the pages with an ETag again, and reports
 * rejected items again.
 */
export function forgetContents(database: Connection): void {
  database.exec('DELETE FROM mirror_page; DELETE FROM mirror_rejected');
}

const ITEM = 'mirror = ? AND collection = ? AND key = ?';
const PAGE = 'SELECT etag, contents FROM mirror_page WHERE mirror = ? AND collection = ? AND page = ?';

/** What a store knows of a service that was mirrored into it: which items it has shown, and its pages by their ETags. */
export class MirrorState {
  /** Undefined if nothing has been mirrored from there. */
  readonly summary: MirrorSummary | undefined;
  /** When the last complete run ended, in UTC; null if none was complete. */
  readonly completeAt: string | null;
  readonly #database: Connection;
  readonly #baseUrl: string;
  readonly #id: number;

  constructor(database: Connection, baseUrl: string) {
    this.#database = database;
    this.#baseUrl = baseUrl;
    const row = database.get<MirrorRow>('SELECT * FROM mirror WHERE base_url = ?', baseUrl);
    // rows count from 1
    this.#id = row?.id ?? 0;
    this.completeAt = row?.complete_at ?? null;
    if (row === undefined || row.run === null) return;
    this.summary = {
      run: row.run,
      watermark: row.watermark,
      excess: { data: row.data_excess, account: row.account_excess },
      build: row.build,
      manifest: row.manifest,
    };
  }

  has(collection: Collection, key: ItemKey): boolean {
    return this.#database.value(`SELECT 1 FROM mirror_item WHERE ${ITEM}`, this.#id, collection, key) === 1;
  }

  count(collection: Collection): number {
    return this.#database.value<number>('SELECT count(*) FROM mirror_item WHERE mirror = ? AND collection = ?', this.#id, collection) ?? 0;
  }

  /** Returns the ids of known records from `low` to before `high`. */
  recordsBetween(low: number, high: number): number[] {
    // without CAST, which would keep SQLite from using the index on a column of any type
    const query = "SELECT key FROM mirror_item WHERE mirror = ? AND collection = 'data' AND key >= ? AND key < ?";
    return this.#database.values(query, this.#id, BigInt(low), BigInt(high));
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
    return this.#database.get(PAGE, this.#id, collection, number);
  }

  /** Whether a version of an item was rejected. @param version its SHA-256 */
  hasRejected(version: string): boolean {
    return this.#database.value('SELECT 1 FROM mirror_rejected WHERE mirror = ? AND version = ?', this.#id, version) === 1;
  }

  get hasRejects(): boolean {
    return this.#database.value('SELECT 1 FROM mirror_rejected WHERE mirror = ? LIMIT 1', this.#id) === 1;
  }

  /** Whether another service, mirrored into the same store, has shown an item. */
  isElsewhere(collection: Collection, key: ItemKey): boolean {
    const query = 'SELECT 1 FROM mirror_item WHERE mirror <> ? AND collection = ? AND key = ?';
    return this.#database.value(query, this.#id, collection, key) === 1;
  }

  /**
   * Writes the state of the service, in the caller's batch. Returns the memory with the new state.
   * @param incomplete what the store lacks; undefined if it has everything that the service has
   * @param time when the run ended, in UTC
   */
  update({ run, watermark, excess, build, manifest }: MirrorSummary, incomplete: IncompleteMirror | undefined, time: string): MirrorState {
    setIncomplete(this.#database, this.#baseUrl, incomplete);
    this.#database.run(
      `INSERT INTO mirror (base_url, run, watermark, data_excess, account_excess, build, manifest, complete_at)
        VALUES (:base_url, :run, CAST(:watermark AS INTEGER), CAST(:data AS INTEGER), CAST(:account AS INTEGER), :build, :manifest, :complete_at)
        ON CONFLICT (base_url) DO UPDATE SET run = excluded.run, watermark = excluded.watermark, data_excess = excluded.data_excess,
          account_excess = excluded.account_excess, build = excluded.build, manifest = excluded.manifest,
          complete_at = ifnull(excluded.complete_at, complete_at)`,
      { base_url: this.#baseUrl, run, watermark, ...excess, build, manifest, complete_at: incomplete === undefined ? time : null },
    );
    return new MirrorState(this.#database, this.#baseUrl);
  }

  /** Returns the items that the service no longer has, according to all runs. */
  gone(collection: Collection): ItemKey[] {
    return this.#database.values('SELECT key FROM mirror_gone WHERE mirror = ? AND collection = ? ORDER BY key', this.#id, collection);
  }

  /** Adds an item that the service has shown. The caller has a batch, as for all changes. */
  add(collection: Collection, key: ItemKey): void {
    const add = 'INSERT INTO mirror_item (mirror, collection, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    this.#database.run(add, this.#id, collection, stored(key));
    this.clearGone(collection, key);
  }

  /** Marks an item that the service no longer has. @param time when a run found that, in UTC */
  setGone(collection: Collection, key: ItemKey, time: string): void {
    const add = 'INSERT INTO mirror_gone (mirror, collection, key, gone_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
    this.#database.run(`DELETE FROM mirror_item WHERE ${ITEM}`, this.#id, collection, key);
    this.#database.run(add, this.#id, collection, stored(key), time);
  }

  /** Forgets an item that the service no longer has, because the store no longer has it either. */
  clearGone(collection: Collection, key: ItemKey): void {
    this.#database.run(`DELETE FROM mirror_gone WHERE ${ITEM}`, this.#id, collection, key);
  }

  addRejected(version: string): void {
    this.#database.run('INSERT INTO mirror_rejected (mirror, version) VALUES (?, ?) ON CONFLICT DO NOTHING', this.#id, version);
  }

  setPage(collection: Collection, number: number, etag: string, contents: string): void {
    this.#database.run(
      `INSERT INTO mirror_page (mirror, collection, page, etag, contents) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET etag = excluded.etag, contents = excluded.contents`,
      ...[this.#id, collection, BigInt(number), etag, contents],
    );
  }
}

/** Converts a key for SQLite, because better-sqlite3 writes a number as REAL and a bigint as INTEGER. */
export function stored(key: ItemKey): bigint | string {
  return typeof key === 'number' ? BigInt(key) : key;
}

/** Returns the reports of the services that a store does not have completely, by their addresses. */
export function incompleteMirrors(database: Connection): readonly IncompleteMirror[] {
  const reports = database.values<string>('SELECT report FROM incomplete_mirror ORDER BY base_url');
  return reports.map((report): IncompleteMirror => JSON.parse(report));
}

/** Sets or deletes what a finished run of mirror found to be missing. If only `finished_at` or `request_count` differ, the old report stays, so that the tree does not change. */
export function setIncomplete(database: Connection, baseUrl: string, report: IncompleteMirror | undefined): void {
  if (report === undefined) {
    database.run('DELETE FROM incomplete_mirror WHERE base_url = ?', baseUrl);
    return;
  }
  const news = (json: string) => `json_remove(${json}, '$.finished_at', '$.request_count')`;
  database.run(
    `INSERT INTO incomplete_mirror (base_url, report) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET report = excluded.report WHERE ${news('report')} <> ${news('excluded.report')}`,
    baseUrl,
    encodeJson(report),
  );
}

/** Deletes the reports about a service, because an import has everything that the service has. */
export function deleteIncomplete(database: Connection, baseUrl: string): void {
  database.run("DELETE FROM incomplete_mirror WHERE report ->> 'base_url' = ?", baseUrl);
}

/** Adds the report of a source, unless the store was mirrored from that service itself. Of two, the newer one stays. */
export function addIncomplete(database: Connection, report: IncompleteMirror): void {
  database.run(
    `INSERT INTO incomplete_mirror (base_url, report) SELECT :base_url, :report WHERE NOT EXISTS (SELECT 1 FROM mirror WHERE base_url = :base_url AND run IS NOT NULL)
      ON CONFLICT DO UPDATE SET report = excluded.report WHERE excluded.report ->> 'finished_at' > report ->> 'finished_at'`,
    { base_url: report.base_url, report: encodeJson(report) },
  );
}
