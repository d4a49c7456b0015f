import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../contract/failure.ts';
import { syncFolder } from '../../contract/files/file-bytes.ts';
import { type StoreState, stateOf } from '../store-image.ts';
import { Connection } from './connection.ts';
import { wrapErrors } from './store-error.ts';

/**
 * Replaces a store with a finished file, or moves the file to a path without a store. No other process may have the
 * store open: SQLite would apply its write-ahead log to the new file.
 * @param expected the state of the store when the replacement was decided; undefined: no store that an import has filled
 * @throws Failure store-busy if the state has changed, or a process has the store open
 */
export function replaceStore(path: string, file: string, expected: StoreState | undefined): void {
  wrapErrors(path, () => {
    const database = existsSync(path) ? openExclusively(path, expected) : undefined;
    if (database === undefined && expected !== undefined) throw changed(path);
    try {
      renameSync(file, path);
    } finally {
      database?.close();
    }
    syncFolder(dirname(path));
  });
}

function openExclusively(path: string, expected: StoreState | undefined): Connection {
  const database = new Connection(path, { timeout: 1000 });
  try {
    // without a write-ahead log of the old store, the new file has none either. An exclusive lock would keep the rollback journal
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    if (database.value('PRAGMA journal_mode') !== 'delete') throw changed(path);
    const isFilled = database.value("SELECT 1 FROM sqlite_schema WHERE name = 'revision'") === 1;
    const now = isFilled ? stateOf(database) : undefined;
    if (!isDeepStrictEqual(now, expected)) throw changed(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function changed(path: string): Failure {
  return new Failure('store-busy', `another process changed ${path} while its replacement was fetched`, {
    place: { file: path },
    expected: 'a store that no process changes during the download',
    found: 'a state that differs from the one at the start',
    hint: 'wait until the other process has ended, then run the command again',
  });
}
