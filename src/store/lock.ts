import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { SqliteError } from 'better-sqlite3';
import { Connection } from './connection.ts';

/** A lock that is held; released at the latest when its process ends, however it ends. */
export interface Lock {
  readonly release: () => void;
}

/**
 * Locks a file for one process: SQLite's own lock on an empty database, because the system lets go of it
 * when the process dies, so that a killed run leaves nothing to clear away by hand. The file is made,
 * and removed on release.
 * @returns undefined where another process holds the lock
 */
export function lock(path: string): Lock | undefined {
  for (;;) {
    closeSync(openSync(path, 'a'));
    const file = statSync(path, { throwIfNoEntry: false })?.ino;
    const database = new Connection(path, { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
      throw error;
    }
    // the last holder may have removed the file between its opening and its locking
    if (file !== undefined && statSync(path, { throwIfNoEntry: false })?.ino === file) {
      return {
        release: () => {
          // somebody may have taken the whole folder away
          rmSync(path, { force: true });
          database.close();
        },
      };
    }
    database.close();
  }
}
