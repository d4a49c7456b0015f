import { Failure } from '../contract/failure.ts';
import { AccountCursor } from './account-cursor.ts';
import { inBatch } from './batch.ts';
import type { Connection } from './connection.ts';
import { guarded, openForReading, openForWriting } from './database.ts';
import type { End } from './end.ts';
import { FeedCursor } from './feed-cursor.ts';
import { latestRevision, nextRevision, type Revision, revisionOf } from './revision.ts';
import { isSettled, settle } from './settle.ts';

/** One unchanging view of a store: what it held when it was opened. */
export class Store {
  readonly path: string;
  readonly revision: Revision;
  readonly #database: Connection;

  private constructor(path: string, database: Connection, revision: Revision) {
    this.path = path;
    this.#database = database;
    this.revision = revision;
  }

  /** @throws Failure no-store, bad-store, store-newer, store-busy, file-system */
  static open(path: string): Store {
    const database = openForReading(path);
    return guarded(path, () => {
      database.exec('BEGIN');
      const revision = isSettled(database) ? latestRevision(database) : undefined;
      if (revision !== undefined) return new Store(path, database, revision);
      const wasFilled = nextRevision(database) > 1;
      database.close();
      if (!wasFilled) throw neverFilled(path);
      settleAt(path);
      return Store.open(path);
    });
  }

  /** The number of the revision that had this fingerprint; undefined where the store never had it. */
  revisionOf(fingerprint: string): number | undefined {
    return revisionOf(this.#database, fingerprint);
  }

  /** The feed, read from one of its ends. */
  feed(end: End): FeedCursor {
    return new FeedCursor(this.#database, end);
  }

  /** The accounts in their order, read from one of its ends. */
  accounts(end: End): AccountCursor {
    return new AccountCursor(this.#database, end);
  }

  close(): void {
    this.#database.close();
  }
}

function neverFilled(path: string): Failure {
  return new Failure('no-store', `nothing has been imported into ${path}`, {
    place: { file: path },
    expected: 'a store that an import has filled',
    found: 'one whose first import did not end',
    hint: 'import again, or name another store with --store',
  });
}

/** Brings up to date what a change by other means than palimpsest (sqlite3, say) made stale. */
function settleAt(path: string): void {
  const database = openForWriting(path);
  try {
    guarded(path, () => inBatch(database, () => settle(database, true)));
  } finally {
    database.close();
  }
}
