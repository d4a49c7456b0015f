import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import { inBatch } from './batch.ts';
import type { Connection } from './connection.ts';
import { materialize } from './materialize.ts';
import { openStore, setReadOnly, setWritable } from './open-store.ts';
import { type CheckPhase, type CheckSummary, StoreCheck } from './store-check.ts';
import { toFailure } from './store-error.ts';

/**
 * Checks a whole store for damage. SQLite checks the file. Every record is checked against its checksum and its rules,
 * and all derived data against its source. Memory does not grow with the store.
 * @param signal stops the check
 * @throws Failure no-store, bad-store if nothing can be read, store-older, store-newer, store-busy, stopped, file-system
 */
export async function checkStore(
  path: string,
  { signal, onProgress = () => {} }: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress<CheckPhase> } = {},
): Promise<CheckSummary> {
  const pauses = new Pauses(signal, 'the store was not checked to its end, and nothing was changed');
  const database = openStore(path, 'read');
  try {
    deriveStale(database);
    database.exec('BEGIN');
    return await new StoreCheck(database, pauses, onProgress).run();
  } catch (error) {
    throw toFailure(path, error);
  } finally {
    database.close();
  }
}

/** Derives the accounts that another program made stale. If they are damaged, the check reports it. */
function deriveStale(database: Connection): void {
  try {
    const isStale = 'SELECT EXISTS (SELECT 1 FROM revision) AND EXISTS (SELECT 1 FROM account WHERE revision IS NULL)';
    if (database.value(isStale) !== 1) return;
    setWritable(database);
    inBatch(database, () => {
      for (const _ of materialize(database, true));
    });
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    const failure = toFailure(database.path, error);
    if (!(failure instanceof Failure) || failure.code !== 'bad-store') throw failure;
  } finally {
    setReadOnly(database);
  }
}
