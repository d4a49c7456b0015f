import { accessSync, closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { Failure } from '../../contract/failure.ts';
import { mkdirp, removeEmptyFolders } from '../../contract/files/mkdirp.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { Connection, removeDatabase } from './connection.ts';
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
 * Opens the file of a store, runs work on it, and closes it.
 * @throws Failure as {@link openStore}
 */
export function withConnection<T>(path: string, purpose: 'read' | 'write', work: (database: Connection) => T): T {
  const database = openStore(path, purpose);
  try {
    return wrapErrors(path, () => work(database));
  } finally {
    database.close();
  }
}

/** Runs work on a store. A dry run must not create the store, so it uses a temporary one if there is none. */
export async function onStore<T>(path: string, isDryRun: boolean, work: (path: string) => Promise<T>): Promise<T> {
  if (!isDryRun || existsSync(path)) return await work(path);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
  try {
    return await work(join(folder, 'store.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/** The mode with which SQLite creates files. */
const FILE_MODE = 0o644;
/** The timeout for the lock of another process. After it, the store is not removed. */
const REMOVAL_TIMEOUT_MS = 100;

/**
 * Creates an empty file for a store, and its folder.
 * @returns the folders that it created; undefined if the file exists, or if it cannot be created: then SQLite reports why
 */
function createStoreFile(path: string): readonly string[] | undefined {
  const folders = mkdirp(dirname(path));
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
    return folders;
  } catch {
    removeEmptyFolders(folders);
    return undefined;
  }
}

/** A connection to a store that this process created. Closing it removes the store if no batch was committed to it. */
class NewStore extends Connection {
  readonly #folders: readonly string[];

  /** @param folders the folders that were created for the store */
  constructor(path: string, options: Database.Options, folders: readonly string[]) {
    super(path, options);
    this.#folders = folders;
  }

  override close(): void {
    super.close();
    removeIfEmpty(this.path);
    removeEmptyFolders(this.#folders);
  }
}

/** Removes a store without a revision. Does nothing if another process has the store open. */
function removeIfEmpty(path: string): void {
  let database: Connection | undefined;
  try {
    database = new Connection(path, { timeout: REMOVAL_TIMEOUT_MS, fileMustExist: true });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    if (!isEmpty(database)) return;
    database.exec('ROLLBACK');
    leaveWal(database);
    removeDatabase(path);
  } catch {
    // another process uses the store, or the file cannot be removed: an empty store does no harm
  } finally {
    database?.close();
  }
}

function isEmpty(database: Connection): boolean {
  const hasTable = database.value("SELECT 1 FROM sqlite_schema WHERE name = 'revision'") === 1;
  return !hasTable || database.value('SELECT EXISTS (SELECT 1 FROM revision)') === 0;
}

/**
 * Ends the use of a write-ahead log. A process that opened the file before its removal would otherwise open the log of the next
 * file with that name.
 */
function leaveWal(database: Connection): void {
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // the disk is full, so no process can create the next file
  }
}
