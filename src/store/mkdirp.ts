import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those that it lies in. Node's own way of doing that never comes back where a file
 * system says of a new folder that the one around it is not there, as /proc does.
 * @throws the file system's error where it cannot be made
 */
export function mkdirp(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const around = dirname(path);
  if (around !== path) mkdirp(around);
  try {
    mkdirSync(path);
  } catch (error) {
    // another process may have been quicker
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
