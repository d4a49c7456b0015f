import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { Connection } from './connection.ts';
import { mkdirp } from './mkdirp.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** Wide enough for a few usual accounts' histories, so that a page of accounts is read in few steps. */
const PAGE_BYTES = 16_384;
/** How long to wait for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Opens a store for writing, made if it is not there, brought forward if it is of an older version.
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
 * Opens a store for a dry run: it is not brought forward and its file stays as it is. What works on it begins a
 * transaction, calls {@link bringForward}, and rolls all of that back.
 * @throws Failure bad-store, store-newer, file-system
 */
export function openForDryRun(path: string): Connection {
  return open(path, (database) => versionOf(database, path));
}

function open(path: string, prepare: (database: Connection) => void): Connection {
  if (path === '' || path === ':memory:') {
    throw new Failure('usage', `"${path}" cannot be a store`, {
      expected: 'the path of a file',
      found: 'a name that SQLite keeps for databases in memory',
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
      expected: 'a store that palimpsest import made',
      found: 'no file',
      hint: 'import something first, or name the store with --store',
    });
  }
  return wrapErrors(path, () => {
    // a connection that may write takes SQLite's side files away when it closes
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

/** Runs the steps that a database has not had yet, all or none, and marks it as a store. */
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

/** The same within a transaction that is open. */
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
      expected: 'a store that palimpsest import made',
      found: 'an SQLite database of something else',
      hint: 'name another file with --store',
    });
  }
  if (version > known) {
    throw new Failure('store-newer', `${path} was made by a newer palimpsest`, {
      place: { file: path },
      expected: `a store of version ${known} or older`,
      found: `version ${version}`,
      hint: 'update palimpsest',
    });
  }
  return version;
}

/**
 * Runs one piece of work on a store and words SQLite's errors for people.
 * @throws Failure store-busy, bad-store, file-system
 */
export function wrapErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // opening makes folders too, so that the file system's own errors may come
    throw toFailure(path, fileSystemFailure(path, error));
  }
}

/** An error of the file system's, met beside the store, as a Failure; any other as it is. */
export function fileSystemFailure(path: string, error: unknown): unknown {
  return hasCode(error) && 'syscall' in error ? failureOf(path, error) : error;
}

/** An error of SQLite's as a Failure, by its code: one that comes from another thread has lost its class. */
export function toFailure(path: string, error: unknown): unknown {
  return hasCode(error) && error.code.startsWith('SQLITE_') ? failureOf(path, error) : error;
}

function hasCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** What SQLite says of the file system; all else, of a store that palimpsest made, is damage. */
const OUTSIDE = /^SQLITE_(IOERR(?!_SHORT_READ|_CORRUPTFS)|FULL|CANTOPEN|READONLY|PERM|AUTH|NOLFS|NOMEM|INTERRUPT|PROTOCOL)/;

function failureOf(path: string, error: Error & { readonly code: string }): Failure {
  const place = { file: path };
  const found = error.message;
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) {
    return new Failure('store-busy', `${path} is being written by another process`, {
      place,
      expected: 'one writer at a time',
      found,
      hint: 'wait until the other import has ended, then run this again',
      cause: error,
    });
  }
  if (error.code.startsWith('SQLITE_') && !OUTSIDE.test(error.code)) {
    return new Failure('bad-store', `${path} is not a store, or a damaged one`, {
      place,
      expected: 'a store that palimpsest import made',
      found,
      hint: `palimpsest store check --store ${path} says more; or name another file with --store, or restore a copy`,
      cause: error,
    });
  }
  const hint =
    error.code === 'SQLITE_FULL' || error.code === 'ENOSPC'
      ? 'free some space, then run this again: the store is as it was'
      : 'look at the permissions of the file, and of its folder: SQLite keeps files beside a store even to read it';
  return new Failure('file-system', `the store ${path} cannot be read or written`, {
    place,
    expected: 'a file that can be opened and has room',
    found,
    hint,
    cause: error,
  });
}
