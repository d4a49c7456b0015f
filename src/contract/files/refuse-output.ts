import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { draftsIn } from './draft-file.ts';
import { fileHead } from './file-bytes.ts';
import { statusOf } from './same-file.ts';

/**
 * Refuses a folder for a result that contains anything other than an earlier result.
 * @param otherIn returns the first of these names, or a path below one, that is not of an earlier result; undefined if there is none
 * @throws Failure not-ours
 */
export function refuseOtherContent(folder: string, otherIn: (names: readonly string[]) => string | undefined): void {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return;
  const drafts = draftsIn(folder).map(({ path }) => basename(path));
  const names = status.isDirectory() ? readdirSync(folder).filter((name) => !drafts.includes(name)) : undefined;
  const other = names === undefined || names.length === 0 ? undefined : otherIn(names.toSorted());
  if (names !== undefined && other === undefined) return;
  throw new Failure('not-ours', `${folder} contains something other than an earlier result`, {
    place: { file: folder },
    expected: 'a new or empty folder, or one that contains only an earlier result',
    found: names === undefined ? 'a file' : `a folder that contains ${other}`,
    hint: 'name another folder with --to, or move this one away; nothing was changed',
  });
}

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
  return statusOf(path)?.isFile() === true && fileHead(path, SQLITE_HEADER.length).equals(SQLITE_HEADER);
}
