import { Failure } from '../../contract/failure.ts';
import { STORE_APPLICATION_ID } from '../../contract/files/markers.ts';
import type { Connection } from './connection.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/**
 * Creates the schema of an empty database in one transaction, and marks the database as a store.
 * @throws Failure bad-store, store-older, store-newer
 */
export function createSchema(database: Connection, path: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    createSchemaInTransaction(database, path);
    database.exec('COMMIT');
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** Creates the schema in the open transaction, if another process has not done so. */
export function createSchemaInTransaction(database: Connection, path: string): void {
  if (!hasSchema(database, path))
    database.exec(`${SCHEMA} PRAGMA application_id = ${STORE_APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Returns whether a database is a store. Returns false if it is empty.
 * @throws Failure bad-store if it is a database of another program, store-older, store-newer
 */
export function hasSchema(database: Connection, path: string): boolean {
  const version = Number(database.value('PRAGMA user_version'));
  const application = Number(database.value('PRAGMA application_id'));
  const isEmpty = Number(database.value('PRAGMA schema_version')) === 0;
  if (isEmpty && application === 0) return false;
  if (application !== STORE_APPLICATION_ID) {
    throw new Failure('bad-store', `${path} is not a palimpsest store`, {
      place: { file: path },
      expected: 'a store that palimpsest import created',
      found: 'an SQLite database of another program',
      hint: 'name another file with --store',
    });
  }
  if (version === SCHEMA_VERSION) return true;
  throw otherSchema(path, path, version);
}

/**
 * Returns the failure for a store that another release wrote.
 * @param before what that release must do before the export, for the hint
 */
export function otherSchema(name: string, file: string, version: number, before = ''): Failure {
  const isNewer = version > SCHEMA_VERSION;
  return new Failure(isNewer ? 'store-newer' : 'store-older', `${name} was written by ${isNewer ? 'a newer' : 'an older'} palimpsest`, {
    place: { file },
    expected: `a store with schema ${SCHEMA_VERSION}`,
    found: `schema ${version}`,
    hint: isNewer
      ? 'update palimpsest'
      : `with the release that wrote it, run ${before}palimpsest export ndjson --to FILE; then palimpsest import FILE into a new store with this release: see "Upgrade" in docs/backup.md`,
  });
}
