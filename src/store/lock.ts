import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { SqliteError } from 'better-sqlite3';
import { Failure } from '../contract/failure.ts';
import { Connection } from './connection.ts';

/** A lock that this process holds. The system releases it when the process ends, even after a crash. */
export interface Lock {
  readonly release: () => void;
}

/**
 * Locks a file for one process with the lock of SQLite on an empty database. The system releases that lock when the
 * process dies, so a killed run leaves nothing to remove by hand. The file is created, and removed on release.
 * @returns undefined if another process holds the lock
 * @throws Failure not-ours if the file has other contents
 */
export function lock(path: string): Lock | undefined {
  for (;;) {
    // the file stays open until the lock is released, so that no other file gets its inode number meanwhile
    const file = openSync(path, 'a');
    const inode = fstatSync(file).ino;
    const isStillThere = () => statSync(path, { throwIfNoEntry: false })?.ino === inode;
    let database: Connection | undefined;
    const close = () => {
      // the database first: closing any descriptor of a file releases the locks of the process on it
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
    // the last holder removed the file after it was opened here and before it was locked
    close();
  }
}

function foreign(path: string, cause: unknown): Failure {
  return new Failure('not-ours', `${path} is not a lock file of palimpsest`, {
    place: { file: path },
    expected: 'an empty file or no file',
    found: 'a file with other contents',
    hint: 'remove it, then run this again',
    cause,
  });
}
