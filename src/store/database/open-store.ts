import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { Connection } from './connection.ts';
import { createStoreFile, NewStore } from './new-store.ts';
import { createSchema, hasSchema } from './schema-version.ts';
import { wrapErrors } from './store-error.ts';

/**
 * What a store is opened for. `read`: the file must exist. `write`: the file is created if it is missing. `batch`: as `write`, but the
 * caller creates the tables of a new store in its transaction. `dry run`: as `batch`, but the caller rolls its transaction back, so that
 * the file stays unchanged.
 */
export type Purpose = 'read' | 'write' | 'batch' | 'dry run';

/** With a write-ahead log, readers read the last committed state while a batch writes. Does nothing if the store has one. */
export const WRITE_AHEAD_LOG: string = 'PRAGMA journal_mode = WAL';
/** Large enough for the histories of a few usual accounts, so that a page of accounts needs few reads. */
const PAGE_BYTES = 16_384;
/** The timeout for the lock of another process. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Opens the file of a store. An empty file becomes a store.
 * @throws Failure usage, no-store, bad-store, store-older, store-newer, store-busy, file-system
 */
export function openStore(path: string, purpose: Purpose): Connection {
  const isReader = purpose === 'read';
  if (!isReader) refuseReservedName(path);
  return wrapErrors(path, () => {
    for (;;) {
      if (isReader) requireFile(path);
      const folders = isReader ? undefined : createStoreFile(path);
      const inode = inodeOf(path);
      const database = open(path, purpose, folders, () => inodeOf(path) === inode);
      if (database !== undefined) return database;
    }
  });
}

/**
 * @param folders the folders that this process created for the store, if it created the store
 * @param isStillThere whether the path has the file that was opened
 * @returns undefined if another process removed or replaced the store meanwhile
 */
function open(path: string, purpose: Purpose, folders: readonly string[] | undefined, isStillThere: () => boolean): Connection | undefined {
  const isReader = purpose === 'read';
  // a connection that may write removes the WAL files of SQLite when it closes, even if it only reads
  const options = { readonly: isReader && !isWritable(path), timeout: BUSY_TIMEOUT_MS };
  const database = folders === undefined ? new Connection(path, options) : new NewStore(path, options, folders);
  try {
    const isNew = !hasSchema(database, path);
    if (isNew) database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    setWritable(database);
    // the first batch of a new store does both: without a write-ahead log it writes its data once, not twice
    const isNewForBatch = purpose === 'batch' && folders !== undefined;
    if (isReader ? isNew : purpose !== 'dry run' && !isNewForBatch) {
      database.exec(WRITE_AHEAD_LOG);
      if (isNew) createSchema(database, path);
    }
    if (isReader) setReadOnly(database);
    // from here on the connection has a lock, so no other process removes the file
    if (isStillThere()) return database;
  } catch (error) {
    if (isStillThere()) {
      database.close();
      throw error;
    }
  }
  database.close();
  return undefined;
}

/**
 * Lets a connection write, and gives it a page cache of 64 MiB. A commit is on the disk when it ends: without a write-ahead log, that
 * needs `EXTRA`. The page size must be set before: SQLite computes the number of cached pages once, and keeps it when the pages
 * become larger. Foreign keys are not checked, because a writer looks up each row itself, and a check takes a tenth of the time of an
 * import.
 */
export function setWritable(database: Connection): void {
  database.exec('PRAGMA query_only = OFF; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -65536; PRAGMA foreign_keys = OFF');
}

/** Keeps a connection from writing. A reader reads each page once, so a page cache of 1 MiB is enough. */
export function setReadOnly(database: Connection): void {
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -1024');
}

function requireFile(path: string): void {
  if (existsSync(path)) return;
  throw new Failure('no-store', `there is no store at ${path}`, {
    place: { file: path },
    expected: 'a store that palimpsest import created',
    found: 'no file',
    hint: hint`run ${suggested('import', { '--store': path }, ['SOURCE'])} first, or name another store with --store`,
  });
}

function refuseReservedName(path: string): void {
  if (path !== '' && path !== ':memory:') return;
  throw new Failure('usage', `"${path}" cannot be a store`, {
    expected: 'the path of a file',
    found: 'a name that SQLite reserves for databases in memory',
    hint: 'name a file with --store',
  });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
