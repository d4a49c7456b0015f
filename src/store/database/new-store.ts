import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { mkdirp, removeEmptyFolders } from '../mkdirp.ts';
import { Connection } from './connection.ts';

/** The mode with which SQLite creates files. */
const MODE = 0o644;
/** The timeout for the lock of another process. After it, the store is not removed. */
const BUSY_TIMEOUT_MS = 100;

/**
 * Creates an empty file for a store, and its folder.
 * @returns the folders that it created; undefined if the file exists, or if it cannot be created: then SQLite reports why
 */
export function createStoreFile(path: string): readonly string[] | undefined {
  const folders = mkdirp(dirname(path));
  try {
    closeSync(openSync(path, 'wx', MODE));
    return folders;
  } catch {
    removeEmptyFolders(folders);
    return undefined;
  }
}

/** A connection to a store that this process created. Closing it removes the store if no batch was committed to it. */
export class NewStore extends Connection {
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
    database = new Connection(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    if (!isEmpty(database)) return;
    database.exec('ROLLBACK');
    leaveWal(database);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
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
