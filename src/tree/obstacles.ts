import { lstatSync, type Stats } from 'node:fs';
import { Failure } from '../contract/failure.ts';

/** @throws Failure not-ours if a path exists and is not a folder */
export function refuseUnlessFolder(path: string): void {
  const found = lstatOf(path);
  if (found !== undefined && !found.isDirectory()) throw inTheWay(path, 'a folder', found);
}

/** @throws Failure not-ours if a folder is at the path of a file: a file cannot replace it */
export function refuseFolder(path: string, found: Stats | undefined): void {
  if (found?.isDirectory()) throw inTheWay(path, 'a file', found);
}

/** @throws Failure not-ours if a path exists and is not a regular file */
export function refuseUnlessFile(path: string): void {
  const found = lstatOf(path);
  if (found !== undefined && !found.isFile()) throw inTheWay(path, 'a file', found);
}

/** Returns the status of a path without following links; undefined if nothing is there. */
export function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Returns the failure for a file or folder that is in the way: not-ours. */
export function inTheWay(path: string, expected: string, found: Stats): Failure {
  const kind = found.isSymbolicLink() ? 'a symbolic link' : found.isDirectory() ? 'a folder' : found.isFile() ? 'a file' : 'a special file';
  return new Failure('not-ours', `${path} is in the way of the build`, {
    place: { file: path },
    expected,
    found: kind,
    hint: 'move it away and build again, or build into another folder with --out; nothing was changed',
  });
}
