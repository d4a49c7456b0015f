import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. The recursive mkdir of Node never returns if the file system reports a
 * missing parent for a new folder, as /proc does.
 * @returns the folders that it created, a parent before its children
 * @throws the error of the file system if the folder cannot be created; folders that it created before are removed
 */
export function mkdirp(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  const parent = dirname(path);
  const created = parent === path ? [] : mkdirp(parent);
  try {
    mkdirSync(path);
    return [...created, path];
  } catch (error) {
    // another process may have created it first
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return created;
    removeEmptyFolders(created);
    throw error;
  }
}

/** Removes folders that {@link mkdirp} created, if they are still empty. */
export function removeEmptyFolders(created: readonly string[]): void {
  try {
    for (const folder of created.toReversed()) rmdirSync(folder);
  } catch {
    // it has files, or another process removed it
  }
}
