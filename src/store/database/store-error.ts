import { statSync } from 'node:fs';
import { codeOf, convertErrors, Failure, fileSystemFailure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';

/**
 * Runs work on a store and converts errors of SQLite and of the file system to failures.
 * @throws Failure store-busy, bad-store, file-system
 */
export function wrapErrors<T>(path: string, work: () => T): T {
  // opening a store creates folders, so errors of the file system can occur
  return convertErrors(work, (error) => toFailure(path, toDiskFailure(path, error)));
}

/** Converts an error of the file system to a Failure. Returns any other error unchanged. */
export function toDiskFailure(path: string, error: unknown): unknown {
  return error instanceof Error && 'syscall' in error ? failureOf(path, error) : error;
}

/** Converts an error of SQLite to a Failure. It checks the code, because an error from another thread has lost its class. */
export function toFailure(path: string, error: unknown): unknown {
  return error instanceof Error && codeOf(error)?.startsWith('SQLITE_') ? failureOf(path, error) : error;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The error codes of SQLite with a cause outside the file. All others mean that the store is damaged. */
const EXTERNAL = /^SQLITE_(IOERR(?!_SHORT_READ|_CORRUPTFS)|FULL|CANTOPEN|READONLY|PERM|AUTH|NOLFS|NOMEM|INTERRUPT|PROTOCOL)/;

/** What to do about an error of a disk: SQLite reports several of them if the disk is full. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(SQLITE_FULL|SQLITE_IOERR|ENOSPC|EIO)/, 'free some space or check the disk, then run the command again: the store is unchanged'],
  [
    /^/,
    'check the permissions of the file and of its folder: SQLite creates files beside a store even to read it; on a read-only disk, copy the store to a writable folder first',
  ],
];

function failureOf(path: string, error: Error): Failure {
  const code = codeOf(error) ?? '';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new Failure('store-busy', `${path} is being written by another process`, {
      place: { file: path },
      expected: 'one writer at a time',
      found: error.message,
      hint: 'wait until the other process has ended, then run the command again',
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_') && !EXTERNAL.test(code)) {
    return new Failure('bad-store', `${path} is damaged or is not a store`, {
      place: { file: path },
      expected: 'a store that palimpsest import created',
      found: error.message,
      hint:
        code === 'SQLITE_NOTADB'
          ? 'name another file with --store, or restore a backup'
          : hint`run ${suggested('store check', { '--store': path })} to see details, name another file with --store, or restore a backup`,
      cause: error,
    });
  }
  const what = `the store ${path} cannot be read or written`;
  if (code === 'SQLITE_CANTOPEN' && isFolder(path))
    return fileSystemFailure('a folder', path, { expected: 'the file of a store', hint: 'name the file of a store with --store' }, what);
  const remedy = ADVICE.find(([codes]) => codes.test(code))?.[1];
  return fileSystemFailure(error, path, { expected: 'a file that can be opened, and enough free space', hint: remedy }, what);
}

export function damaged(path: string, found: string, cause?: unknown): Failure {
  return new Failure('bad-store', `the store ${path} is damaged`, {
    place: { file: path },
    expected: 'the data that palimpsest wrote',
    found,
    hint: hint`run ${suggested('store check', { '--store': path })} to list the damage, and add --repair to restore derived data`,
    cause,
  });
}

/**
 * Parses a JSON object from a store.
 * @param subject the owner of the text, for the error
 * @throws Failure bad-store if the text is not a JSON object
 */
export function storedJson(path: string, subject: string, json: string): ReturnType<typeof JSON.parse> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw damaged(path, `${subject} is not JSON`, cause);
  }
  throw damaged(path, `${subject} is not a JSON object`);
}
