import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync } from 'node:fs';
import { SqliteError } from 'better-sqlite3';
import { codeOf, Failure } from '../../contract/failure.ts';
import { Connection } from './connection.ts';

/** A lock that this process holds. The system releases it when the process ends, even after a crash. */
export interface Lock {
  readonly release: () => void;
}

/** Follows no symlink, because the name is predictable and the target belongs to somebody else. Does not wait at a pipe. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const MODE = 0o666;
/**
 * How long to wait for the lock, in milliseconds. SQLite takes it in steps, so of two processes that lock at the same time, both would be
 * refused without waiting.
 */
const TIMEOUT = 100;

/**
 * Locks a file for one process with the lock of SQLite on an empty database. The system releases that lock when the
 * process dies, so a killed run leaves nothing to remove by hand. The file is created, and removed on release.
 * @returns undefined if another process holds the lock
 * @throws Failure not-ours if something else is at that path
 */
export function lock(path: string): Lock | undefined {
  for (;;) {
    // the file stays open until the lock is released, so that no other file gets its inode number meanwhile
    const file = openFile(path);
    const inode = fstatSync(file).ino;
    const isStillThere = () => lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
    let database: Connection | undefined;
    const close = () => {
      // the database first: closing any descriptor of a file releases the locks of the process on it
      database?.close();
      closeSync(file);
    };
    try {
      // SQLite follows symlinks: it must not create the target of one that has just replaced the file
      database = new Connection(path, { timeout: TIMEOUT, fileMustExist: true });
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

/** @throws Failure not-ours if something other than a regular file is at that path */
function openFile(path: string): number {
  let file: number;
  try {
    file = openSync(path, FLAGS, MODE);
  } catch (error) {
    throw isOtherKind(error) ? foreign(path, error) : error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw foreign(path, undefined);
}

/** Whether a file could not be opened because a symlink, a folder or a pipe is in its place. */
function isOtherKind(error: unknown): boolean {
  return /^(ELOOP|EMLINK|EISDIR|ENXIO)$/.test(codeOf(error) ?? '');
}

function foreign(path: string, cause: unknown): Failure {
  return new Failure('not-ours', `${path} is not a lock file of palimpsest`, {
    place: { file: path },
    expected: 'an empty file or no file',
    found: 'a file with other contents, or not a file',
    hint: 'remove that file, then run the command again',
    cause,
  });
}
