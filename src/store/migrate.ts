import { Failure } from '../contract/failure.ts';
import { STORE_APPLICATION_ID } from '../contract/store-file.ts';
import type { Connection } from './connection.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * Runs the missing migration steps of a database in one transaction, and marks it as a store.
 * @throws Failure bad-store, store-newer
 */
export function migrate(database: Connection, path: string, steps: readonly string[] = MIGRATIONS): void {
  if (schemaVersion(database, path, steps.length) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    migrateInTransaction(database, path, steps);
    database.exec('COMMIT');
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** Runs the missing migration steps in the open transaction. */
export function migrateInTransaction(database: Connection, path: string, steps: readonly string[] = MIGRATIONS): void {
  const version = schemaVersion(database, path, steps.length);
  if (version === steps.length) return;
  for (const step of steps.slice(version)) database.exec(step);
  database.exec(`PRAGMA application_id = ${STORE_APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
}

/**
 * Returns the number of migration steps that a store has had. A new file has had none.
 * @param known the number of steps that this program knows
 * @throws Failure bad-store if the database is not a store, store-newer
 */
export function schemaVersion(database: Connection, path: string, known: number = MIGRATIONS.length): number {
  const version = Number(database.value('PRAGMA user_version'));
  const application = Number(database.value('PRAGMA application_id'));
  const isEmpty = Number(database.value('PRAGMA schema_version')) === 0;
  if (isEmpty && application === 0) return 0;
  if (application !== STORE_APPLICATION_ID) {
    throw new Failure('bad-store', `${path} is not a palimpsest store`, {
      place: { file: path },
      expected: 'a store that palimpsest import created',
      found: 'an SQLite database of another program',
      hint: 'name another file with --store',
    });
  }
  if (version > known) {
    throw new Failure('store-newer', `${path} was written by a newer palimpsest`, {
      place: { file: path },
      expected: `a store of version ${known} or older`,
      found: `version ${version}`,
      hint: 'update palimpsest',
    });
  }
  return version;
}
