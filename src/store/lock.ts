import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { SqliteError } from 'better-sqlite3';
import { Failure } from '../contract/failure.ts';
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
 * @throws Failure not-ours where the file holds something
 */
export function lock(path: string): Lock | undefined {
  for (;;) {
    // open until the lock is let go: so no other file can be given its number meanwhile
    const file = openSync(path, 'a');
    const number = fstatSync(file).ino;
    const isStillThere = () => statSync(path, { throwIfNoEntry: false })?.ino === number;
    let database: Connection | undefined;
    const close = () => {
      // in this order: closing any descriptor of a file lets go of the process's locks on it
      database?.close();
      closeSync(file);
    };
    try {
      database = new Connection(path, { timeout: 0 });
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      if (isStillThere()) {
        return {
          release: () => {
            rmSync(path, { force: true });
            close();
          },
        };
      }
    } catch (error) {
      if (isStillThere()) {
        close();
        if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
        if (error instanceof SqliteError && error.code === 'SQLITE_NOTADB') throw foreign(path, error);
        throw error;
      }
    }
    // the last holder has removed it between its opening and its locking
    close();
  }
}

function foreign(path: string, cause: unknown): Failure {
  return new Failure('not-ours', `${path} is not a lock of palimpsest`, {
    place: { file: path },
    expected: 'an empty file, or none',
    found: 'a file with other contents',
    hint: 'remove it, then run this again',
    cause,
  });
}
