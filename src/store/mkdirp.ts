import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. The recursive mkdir of Node never returns if the file system reports a
 * missing parent for a new folder, as /proc does.
 * @throws the error of the file system if the folder cannot be created
 */
export function mkdirp(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) mkdirp(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // another process may have created it first
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
