import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Returns the longest existing part of a path. */
export function nearestOf(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestOf(dirname(path));
}

/** Returns the real path of a folder that may not exist yet. */
export function placeOf(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync.native(path);
  } catch {
    return path === dirname(path) ? path : join(placeOf(dirname(path)), basename(path));
  }
}

/** Whether a path is a folder, or in it. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
