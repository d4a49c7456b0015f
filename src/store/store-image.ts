import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { countDays } from '../contract/snapshots/snapshot-days.ts';
import type { Connection } from './database/connection.ts';
import { openStore } from './database/open-store.ts';
import { SCHEMA_VERSION } from './database/schema.ts';
import { damaged, wrapErrors } from './database/store-error.ts';
import { latestRevision, type Revision } from './revision.ts';
import { storedSnapshotDays } from './snapshot-days.ts';
import { Store } from './store.ts';

/** The number of attempts to get an image while other processes write the store. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;
/** The bytes of one read. */
const PIECE_BYTES = 1 << 18;

/** Identifies the state of a store file. */
export interface StoreState {
  /** The number and the fingerprint of the latest revision. */
  readonly revision: number;
  readonly fingerprint: string;
  /**
   * The sum over all accounts of the time of the latest observation, in seconds since 1970, plus the number of days with snapshots.
   * Between two states of one revision it only grows: an observation without changes adds no revision.
   */
  readonly observed: number;
  readonly records: number;
  readonly accounts: number;
}

/** Returns the state of a store. Returns undefined if no import has filled it. */
export function stateOf(database: Connection): StoreState | undefined {
  const latest: Revision | undefined = latestRevision(database);
  if (latest === undefined) return undefined;
  const observed = Number(database.value('SELECT ifnull(sum(observed_to / 1000000), 0) FROM account'));
  const days = countDays(storedSnapshotDays(database));
  return {
    revision: latest.number,
    fingerprint: latest.fingerprint,
    observed: observed + days,
    records: latest.records,
    accounts: latest.accounts,
  };
}

/**
 * The bytes of a store in one committed state. They equal the bytes of a store file without a write-ahead log. Other
 * processes may read and write the store meanwhile: their commits stay in the write-ahead log until the image is closed.
 */
export class StoreImage {
  readonly path: string;
  readonly bytes: number;
  readonly state: StoreState;
  readonly schema: number = SCHEMA_VERSION;
  readonly #database: Connection;
  readonly #file: number;

  private constructor(path: string, database: Connection, file: number, state: StoreState) {
    this.path = path;
    this.state = state;
    this.bytes = Number(database.value('PRAGMA page_count')) * Number(database.value('PRAGMA page_size'));
    this.#database = database;
    this.#file = file;
  }

  /**
   * @param pause waits between two attempts
   * @throws Failure no-store, bad-store, store-older, store-newer, store-busy, file-system
   */
  static async open(path: string, pause: () => Promise<void> = () => wait(PAUSE_MS)): Promise<StoreImage> {
    // opening the store first derives stale data
    Store.open(path).close();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const image = wrapErrors(path, () => StoreImage.#tryOpen(path));
      if (image !== undefined) return image;
      await pause();
    }
    throw new Failure('store-busy', `other processes keep writing or reading ${path}`, {
      place: { file: path },
      expected: `a moment within ${(ATTEMPTS * PAUSE_MS) / 1000} s when no process writes the store or reads an older state`,
      found: 'no such moment',
      hint: 'wait until the other processes have ended, then run the command again',
    });
  }

  /**
   * Opens an image if the store file has the latest commit. A checkpoint moves the commits before the start of a reader
   * into the store file, and no later ones. So when a checkpoint has moved all commits, the file has the state of this
   * reader and keeps it.
   */
  static #tryOpen(path: string): StoreImage | undefined {
    const file = openSync(path, 'r');
    const database = openStore(path, 'read');
    const other = openStore(path, 'read');
    let image: StoreImage | undefined;
    try {
      database.exec('BEGIN');
      const state = stateOf(database);
      const moved = other.get<{ busy: number; log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)');
      if (state !== undefined && moved?.busy === 0 && moved.log === moved.checkpointed) image = new StoreImage(path, database, file, state);
      return image;
    } finally {
      other.close();
      if (image === undefined) {
        database.close();
        closeSync(file);
      }
    }
  }

  async *pieces(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, this.bytes - position));
      const length = readSync(this.#file, piece, 0, piece.length, position);
      if (length === 0) throw damaged(this.path, `a file that ends after ${position} of ${this.bytes} bytes`);
      position += length;
      yield piece.subarray(0, length);
      // signals and timers wait until then
      await setImmediate();
    }
  }

  /** Whether this state is equal to another one, or later in the history of the same store. */
  descendsFrom(other: Pick<StoreState, 'revision' | 'fingerprint' | 'observed'>): boolean {
    const query = 'SELECT 1 FROM revision WHERE number = ? AND fingerprint = ?';
    const has = this.#database.value(query, other.revision, other.fingerprint);
    return has === 1 && (other.revision !== this.state.revision || this.state.observed >= other.observed);
  }

  /** Counts the removals since a time; '' counts all. */
  removalsSince(time: string): number {
    return Number(this.#database.value('SELECT count(*) FROM exclusion WHERE excluded_at >= ?', time));
  }

  /**
   * Runs the quick check of SQLite on the file.
   * @throws Failure bad-store
   */
  check(): void {
    const found = wrapErrors(this.path, () => this.#database.value('PRAGMA quick_check(1)'));
    if (found !== 'ok') throw damaged(this.path, String(found));
  }

  close(): void {
    // the database first: closing any descriptor of a file releases the locks of the process on it
    this.#database.close();
    closeSync(this.#file);
  }
}
