import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { mkdirp } from '../../contract/files/mkdirp.ts';
import type { Collection } from '../../contract/pages/collection.ts';
import { Connection, removeDatabase } from '../../store/database/connection.ts';
import { wrapErrors } from '../../store/database/store-error.ts';
import type { MirrorState } from '../../store/mirror-state.ts';
import type { RunState } from '../run-state.ts';
import type { PageContents } from '../service-page.ts';
import { SpooledItems } from './spooled-items.ts';

export interface SpooledPage {
  readonly url: string;
  readonly collection: Collection;
  readonly number: number;
  readonly etag: string | null;
  /** {@link PageContents} as JSON. */
  readonly contents: string;
  /** The page, compressed with gzip; null if it is the one that was read before. */
  readonly body: Buffer | null;
}

/** The build.json and the manifest of a tree, as a service sent them. */
export interface SavedTree {
  readonly build: string;
  readonly manifest: Buffer;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The pages and the state of a run, in a file beside the store. Each page is saved together with the state after it, so a killed run
 * resumes there. The store does not change until all pages are read.
 */
export class PageSpool {
  readonly path: string;
  readonly items: SpooledItems;
  readonly #database: Connection;
  readonly #memory: MirrorState;

  /** @param memory what the store knows of the service */
  constructor(path: string, memory: MirrorState) {
    mkdirp(dirname(path));
    this.path = path;
    this.#memory = memory;
    this.#database = wrapErrors(path, () => open(path));
    this.items = new SpooledItems(this.#database, memory);
  }

  /** The state after the last page; undefined at the beginning. */
  get state(): RunState | undefined {
    const json = this.#database.value('SELECT json FROM state');
    return json === undefined ? undefined : JSON.parse(String(json));
  }

  /** The tree whose pages are read. */
  get tree(): SavedTree | undefined {
    return this.#database.get('SELECT build, manifest FROM tree');
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

  setState(state: RunState): void {
    const set = 'INSERT INTO state (id, json) VALUES (1, ?) ON CONFLICT DO UPDATE SET json = excluded.json';
    this.#database.run(set, JSON.stringify(state));
  }

  setTree(tree: SavedTree | undefined): void {
    this.#database.exec('DELETE FROM tree');
    if (tree !== undefined) this.#database.run('INSERT INTO tree (build, manifest) VALUES (?, ?)', tree.build, tree.manifest);
  }

  /** @param sent the body as it was sent, with or without gzip; null if the page has not changed */
  addPage(page: Omit<SpooledPage, 'contents' | 'body'>, contents: PageContents, sent: Buffer | null): void {
    const body = sent === null || sent.subarray(0, 2).equals(GZIP_MAGIC) ? sent : gzipSync(sent, { level: 1 });
    const isSame = body !== null && this.#lastPage(page.collection, page.number)?.body?.equals(body) === true;
    const add = 'INSERT INTO page (url, collection, number, etag, contents, body) VALUES (?, ?, ?, ?, ?, ?)';
    const { url, collection, number, etag } = page;
    this.#database.run(add, url, collection, BigInt(number), etag, withoutRecords(contents), isSame ? null : body);
  }

  /** Returns the contents of a page in this run, or in an earlier run if the page had an ETag. */
  known(collection: Collection, number: number): Pick<SpooledPage, 'etag' | 'contents'> | undefined {
    return this.#lastPage(collection, number) ?? this.#memory.page(collection, number);
  }

  #lastPage(collection: Collection, number: number): SpooledPage | undefined {
    return this.#database.get('SELECT * FROM page WHERE collection = ? AND number = ? ORDER BY id DESC LIMIT 1', collection, number);
  }

  get pageCount(): number {
    return Number(this.#database.value('SELECT count(*) FROM page'));
  }

  /** Yields the pages in the order in which they were read. */
  *pages(): Generator<SpooledPage> {
    const query = 'SELECT * FROM page WHERE id > ? ORDER BY id LIMIT +?';
    const batches = this.#database.batches<SpooledPage & { readonly id: number }>(query, [0], ({ id }) => [id], 1);
    for (const pages of batches) yield* pages;
  }

  close(): void {
    this.#database.close();
  }

  /** Deletes the file. */
  remove(): void {
    this.close();
    removeDatabase(this.path);
  }
}

/** Encodes the contents of a page without the records of its accounts, of which there can be many. */
function withoutRecords(contents: PageContents): string {
  return JSON.stringify({ ...contents, items: contents.items.map(({ records: _, ...item }) => item) });
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
    CREATE TABLE IF NOT EXISTS gone (
      collection TEXT NOT NULL, key ANY NOT NULL, PRIMARY KEY (collection, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS wanted (screen_name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `);
  return database;
}
