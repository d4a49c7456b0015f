import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import type { Connection } from './connection.ts';
import { openForReading, wrapErrors } from './database.ts';
import { latestRevision, type Revision } from './revision.ts';
import { MIGRATIONS } from './schema.ts';
import { Store } from './store.ts';

/** How often, and after how many milliseconds each time, an image is tried for while others write the store. */
const TRIES = 50;
const PAUSE = 100;

/** Which state of which store a file holds. */
export interface StoreState {
  /** The number and the fingerprint of its latest revision. */
  readonly revision: number;
  readonly fingerprint: string;
  /**
   * Seconds since 1970 up to which each account has been observed, added up. Between two states of the same revision
   * it only grows: an observation that shows nothing new adds no revision.
   */
  readonly observed: number;
  readonly records: number;
  readonly accounts: number;
}

/** The state that a database holds; undefined where no import has filled it. */
export function stateOf(database: Connection): StoreState | undefined {
  const latest: Revision | undefined = latestRevision(database);
  if (latest === undefined) return undefined;
  const observed = Number(database.value('SELECT ifnull(sum(observed_to / 1000000), 0) FROM account'));
  return { revision: latest.number, fingerprint: latest.fingerprint, observed, records: latest.records, accounts: latest.accounts };
}

/**
 * The bytes of a store in one committed state, as its file has them when no log lies beside it. Other processes may
 * read and write the store meanwhile: what they commit goes into SQLite's write-ahead log and stays there until this is closed.
 */
export class StoreImage {
  readonly path: string;
  readonly bytes: number;
  readonly state: StoreState;
  /** The version of the schema. */
  readonly schema: number = MIGRATIONS.length;
  readonly #database: Connection;
  readonly #file: number;

  private constructor(path: string, database: Connection, file: number, state: StoreState) {
    this.path = path;
    this.state = state;
    this.bytes = Number(database.value('PRAGMA page_count')) * Number(database.value('PRAGMA page_size'));
    this.#database = database;
    this.#file = file;
  }

  /** @throws Failure no-store, bad-store, store-newer, store-busy, file-system */
  static async open(path: string): Promise<StoreImage> {
    // derives what is stale first
    Store.open(path).close();
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const image = wrapErrors(path, () => StoreImage.#hold(path));
      if (image !== undefined) return image;
      await wait(PAUSE);
    }
    throw new Failure('store-busy', `${path} is being written or read by other processes all the time`, {
      place: { file: path },
      expected: `a moment within ${(TRIES * PAUSE) / 1000} s in which nothing new is written and no older state is read`,
      found: 'none',
      hint: 'wait until the other processes have ended, then run this again',
    });
  }

  /**
   * A reader that began after the last commit keeps a checkpoint from moving later commits into the store's file, and lets it move
   * all earlier ones. So once a checkpoint says that it moved all there are, the file has this reader's state, and keeps it.
   */
  static #hold(path: string): StoreImage | undefined {
    const file = openSync(path, 'r');
    const database = openForReading(path);
    const other = openForReading(path);
    let image: StoreImage | undefined;
    try {
      database.exec('BEGIN');
      const state = stateOf(database);
      const moved = other.prepare<[], { busy: number; log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)').get();
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

  /** Fills a buffer from a position on, as far as there are bytes; gives how many. */
  read(position: number, buffer: Buffer): number {
    const length = Math.min(buffer.length, this.bytes - position);
    let done = 0;
    while (done < length) {
      const read = readSync(this.#file, buffer, done, length - done, position + done);
      if (read === 0) throw damaged(this.path, `a file that ends after ${position + done} of ${this.bytes} bytes`);
      done += read;
    }
    return done;
  }

  /** Whether this state came about from another one, or is the same: whether it has all that the other had. */
  descendsFrom(other: Pick<StoreState, 'revision' | 'fingerprint' | 'observed'>): boolean {
    const has = this.#database
      .prepare<[number, string], number>('SELECT 1 FROM revision WHERE number = ? AND fingerprint = ?')
      .pluck()
      .get(other.revision, other.fingerprint);
    return has === 1 && (other.revision !== this.state.revision || this.state.observed >= other.observed);
  }

  /**
   * Has SQLite check that the file is whole.
   * @throws Failure bad-store
   */
  check(): void {
    const found = wrapErrors(this.path, () => this.#database.value('PRAGMA quick_check(1)'));
    if (found !== 'ok') throw damaged(this.path, String(found));
  }

  close(): void {
    // in this order: closing any descriptor of a file lets go of the process's locks on it
    this.#database.close();
    closeSync(this.#file);
  }
}

function damaged(path: string, found: string): Failure {
  return new Failure('bad-store', `the store ${path} is damaged`, {
    place: { file: path },
    expected: 'a file that SQLite finds whole',
    found,
    hint: 'restore a copy',
  });
}
