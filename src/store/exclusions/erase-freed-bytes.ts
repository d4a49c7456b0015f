import { Failure } from '../../contract/failure.ts';
import type { Connection } from '../database/connection.ts';
import { toDiskFailure, toFailure } from '../database/store-error.ts';

/** Whether a removal has freed bytes that are still readable in the file. */
export function mustErase(database: Connection): boolean {
  return database.value('SELECT EXISTS (SELECT 1 FROM exclusion WHERE is_erased = 0)') === 1;
}

/**
 * Erases what was deleted from the file and its write-ahead log. SQLite only marks deleted bytes as free: those of this
 * run, and those of earlier changes to the same accounts. Writing the file again leaves out all of them.
 * @throws Failure store-busy, file-system: the accounts are removed, and the same command erases their bytes later
 */
export function eraseFreed(database: Connection): void {
  try {
    database.exec('PRAGMA secure_delete = ON; VACUUM');
    truncateLog(database);
    database.exec('UPDATE exclusion SET is_erased = 1 WHERE is_erased = 0');
    truncateLog(database);
  } catch (error) {
    const failure = toFailure(database.path, toDiskFailure(database.path, error));
    if (!(failure instanceof Failure)) throw failure;
    throw unerased(database.path, failure.code, failure.found ?? failure.message, failure.code === 'store-busy' ? BUSY : FULL, failure);
  }
}

/** Moves all commits into the file. The log is empty after that. */
function truncateLog(database: Connection): void {
  const busy = database.get<{ readonly busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy;
  if (busy !== 0) throw unerased(database.path, 'store-busy', 'another process that reads the store', BUSY);
}

const BUSY = 'run the same command again when no other process uses the store';
/** VACUUM writes a temporary copy of the store, and then writes all of it to the write-ahead log beside the store. */
const FULL =
  'free some space on the disk of the store, and on that of the temporary files of SQLite (SQLITE_TMPDIR or TMPDIR), then run the same command again';

function unerased(path: string, code: Failure['code'], found: string, hint: string, cause?: unknown): Failure {
  return new Failure(code, `the account is removed from ${path}, but its bytes are still readable in the file`, {
    place: { file: path },
    expected: 'no other process that uses the store, and free space for two more copies of it',
    found,
    hint,
    cause,
  });
}
