import { isObject } from '../contract/json.ts';
import { SITE_MARKER } from '../contract/target-marker.ts';
import type { TreeFiles } from '../tree/tree-files.ts';

/**
 * Returns whether a file of a folder is the state that `publish` keeps there. The folder of a published tree has this file, and
 * the next publish needs it.
 */
export function isPublishState(files: TreeFiles, path: string): boolean {
  if (path !== SITE_MARKER || files.form !== 'folder') return false;
  try {
    const state: unknown = JSON.parse(files.read(path).toString());
    return isObject(state) && typeof state['palimpsest'] === 'string';
  } catch {
    return false;
  }
}
