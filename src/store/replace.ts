import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../contract/failure.ts';
import { Connection } from './connection.ts';
import { wrapErrors } from './database.ts';
import { type StoreState, stateOf } from './image.ts';

/**
 * Puts a finished file in the place of a store, or where there is none. No other process may have the store open: its log would be taken
 * for the new file's.
 * @param expected the state that the store was in when it was decided to replace it; undefined: there was none that an import had filled
 * @throws Failure store-busy where it is another by now, or a process has it open
 */
export function replaceStore(path: string, file: string, expected: StoreState | undefined): void {
  wrapErrors(path, () => {
    const database = existsSync(path) ? holdAlone(path, expected) : undefined;
    if (database === undefined && expected !== undefined) throw changed(path);
    try {
      renameSync(file, path);
    } finally {
      database?.close();
    }
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
  });
}

function holdAlone(path: string, expected: StoreState | undefined): Connection {
  const database = new Connection(path, { timeout: 1000 });
  try {
    // without a write-ahead log there is none beside the new file either
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
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
  return new Failure('store-busy', `${path} was written while its replacement was fetched`, {
    place: { file: path },
    expected: 'a store that nobody writes meanwhile',
    found: 'another state than at the beginning',
    hint: 'wait until the other process has ended, then run this again',
  });
}
