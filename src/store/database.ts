import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { Connection } from './connection.ts';
import { mkdirp } from './mkdirp.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** Large enough for the histories of a few usual accounts, so that a page of accounts needs few reads. */
const PAGE_BYTES = 16_384;
/** The timeout for the lock of another process. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Opens a store for writing. Creates it if it is missing, and migrates it if its version is older.
 * @throws Failure bad-store, store-newer, file-system
 */
export function openForWriting(path: string): Connection {
  return open(path, (database) => {
    if (versionOf(database, path) === 0) database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec('PRAGMA journal_mode = WAL');
    migrate(database, path, MIGRATIONS);
  });
}

/**
 * Opens a store for a dry run: it is not migrated, and its file stays unchanged. The caller begins a transaction, calls
 * {@link bringForward}, and rolls everything back.
 * @throws Failure bad-store, store-newer, file-system
 */
export function openForDryRun(path: string): Connection {
  return open(path, (database) => versionOf(database, path));
}

function open(path: string, prepare: (database: Connection) => void): Connection {
  if (path === '' || path === ':memory:') {
    throw new Failure('usage', `"${path}" cannot be a store`, {
      expected: 'the path of a file',
      found: 'a name that SQLite reserves for databases in memory',
      hint: 'name a file with --store',
    });
  }
  return wrapErrors(path, () => {
    mkdirp(dirname(path));
    const database = new Connection(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.exec('PRAGMA synchronous = FULL');
      database.exec('PRAGMA cache_size = -65536');
      prepare(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Opens a store for reading.
 * @throws Failure no-store, bad-store, store-newer, file-system
 */
export function openForReading(path: string): Connection {
  if (!existsSync(path)) {
    throw new Failure('no-store', `there is no store at ${path}`, {
      place: { file: path },
      expected: 'a store that palimpsest import created',
      found: 'no file',
      hint: 'import something first, or name the store with --store',
    });
  }
  return wrapErrors(path, () => {
    // a connection that may write removes the WAL files of SQLite when it closes
    const database = new Connection(path, { readonly: !isWritable(path), timeout: BUSY_TIMEOUT_MS });
    try {
      if (versionOf(database, path) !== MIGRATIONS.length) {
        database.close();
        openForWriting(path).close();
        return openForReading(path);
      }
      database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -1024');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs the missing migration steps of a database in one transaction, and marks it as a store. */
export function migrate(database: Connection, path: string, steps: readonly string[]): void {
  if (versionOf(database, path, steps.length) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    bringForward(database, path, steps);
    database.exec('COMMIT');
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** Runs the missing migration steps in the open transaction. */
export function bringForward(database: Connection, path: string, steps: readonly string[] = MIGRATIONS): void {
  for (const step of steps.slice(versionOf(database, path, steps.length))) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
}

function versionOf(database: Connection, path: string, known: number = MIGRATIONS.length): number {
  const version = Number(database.value('PRAGMA user_version'));
  const application = Number(database.value('PRAGMA application_id'));
  const isEmpty = Number(database.value('PRAGMA schema_version')) === 0;
  if (isEmpty && application === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw new Failure('bad-store', `${path} is not a palimpsest store`, {
      place: { file: path },
      expected: 'a store that palimpsest import created',
      found: 'an SQLite database of another program',
      hint: 'name another file with --store',
    });
  }
  if (version > known) {
    throw new Failure('store-newer', `${path} was written by a newer palimpsest`, {
      place: { file: path },
      expected: `a store of version ${known} or older`,
      found: `version ${version}`,
      hint: 'update palimpsest',
    });
  }
  return version;
}

/**
 * Runs work on a store and converts errors of SQLite and of the file system to failures.
 * @throws Failure store-busy, bad-store, file-system
 */
export function wrapErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // opening a store creates folders, so errors of the file system can occur
    throw toFailure(path, fileSystemFailure(path, error));
  }
}

/** Converts an error of the file system to a Failure. Returns any other error unchanged. */
export function fileSystemFailure(path: string, error: unknown): unknown {
  return hasCode(error) && 'syscall' in error ? failureOf(path, error) : error;
}

/** Converts an error of SQLite to a Failure. It checks the code, because an error from another thread has lost its class. */
export function toFailure(path: string, error: unknown): unknown {
  return hasCode(error) && error.code.startsWith('SQLITE_') ? failureOf(path, error) : error;
}

function hasCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** The error codes of SQLite with a cause outside the file. All others mean that the store is damaged. */
const EXTERNAL = /^SQLITE_(IOERR(?!_SHORT_READ|_CORRUPTFS)|FULL|CANTOPEN|READONLY|PERM|AUTH|NOLFS|NOMEM|INTERRUPT|PROTOCOL)/;

function failureOf(path: string, error: Error & { readonly code: string }): Failure {
  const place = { file: path };
  const found = error.message;
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) {
    return new Failure('store-busy', `${path} is being written by another process`, {
      place,
      expected: 'one writer at a time',
      found,
      hint: 'wait until the other process has ended, then run this again',
      cause: error,
    });
  }
  if (error.code.startsWith('SQLITE_') && !EXTERNAL.test(error.code)) {
    return new Failure('bad-store', `${path} is damaged or is not a store`, {
      place,
      expected: 'a store that palimpsest import created',
      found,
      hint: `run palimpsest store check --store ${path} to see details, name another file with --store, or restore a backup`,
      cause: error,
    });
  }
  const hint =
    error.code === 'SQLITE_FULL' || error.code === 'ENOSPC'
      ? 'free some space, then run this again: the store is unchanged'
      : 'check the permissions of the file and of its folder: SQLite creates files beside a store even to read it';
  return new Failure('file-system', `the store ${path} cannot be read or written`, {
    place,
    expected: 'a file that can be opened, and enough free space',
    found,
    hint,
    cause: error,
  });
}
