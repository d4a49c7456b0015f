import { join } from 'node:path';
import { isObject } from '../contract/json.ts';
import { SITE_MARKER } from '../contract/target-marker.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/**
 * Returns whether a file of a folder is the state that `publish` keeps there. The folder of a published tree has this file, and
 * the next publish needs it.
 * @param path relative to the folder
 */
export function isPublishState(folder: string, path: string): boolean {
  if (path !== SITE_MARKER) return false;
  try {
    const state: unknown = JSON.parse(readRegularFile(join(folder, path)).toString());
    return isObject(state) && typeof state['palimpsest'] === 'string';
  } catch {
    return false;
  }
}
