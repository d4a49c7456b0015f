import { closeSync, openSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { readFully } from './file-bytes.ts';
import { statusOf } from './same-file.ts';

const SQLITE_HEADER = Buffer.from('SQLite format 3\0');
/** The files that SQLite keeps beside a database. */
const BESIDE = /-(wal|shm|journal)$/;

/**
 * Refuses an output that would replace or damage a store or another database of SQLite.
 * @throws Failure not-ours
 */
export function refuseDatabase(path: string): void {
  const database = [path, path.replace(BESIDE, '')].find(isDatabase);
  if (database === undefined) return;
  throw new Failure('not-ours', `${path} is a store or another database`, {
    place: { file: path },
    expected: 'a new file, or an earlier result of this command',
    found: database === path ? 'an SQLite database' : `a file of the database ${database}`,
    hint: 'name another file; nothing was changed',
  });
}

/** A file that cannot be read is none: the command reports it when it writes. */
function isDatabase(path: string): boolean {
  if (!statusOf(path)?.isFile()) return false;
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    const head = Buffer.alloc(SQLITE_HEADER.length);
    readFully(file, head, 0);
    return head.equals(SQLITE_HEADER);
  } finally {
    closeSync(file);
  }
}
