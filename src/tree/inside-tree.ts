import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { VERSIONS_MARKER } from '../contract/files/markers.ts';
import { hasTree } from './build-record.ts';

/**
 * Refuses a path to write to that is a tree or a folder with versions, or inside of one: readers would find the file there.
 * @throws Failure usage
 */
export function refuseInsideTree(to: string): void {
  for (let path = resolve(to), before = ''; path !== before; before = path, path = dirname(path)) {
    if (!hasTree(path) && !existsSync(join(path, VERSIONS_MARKER))) continue;
    throw new Failure('usage', `${to} is inside the tree`, {
      place: { field: '--to' },
      expected: `a path outside ${path}`,
      found: to,
      hint: 'name a path outside the tree, because every file in the tree is published',
    });
  }
}
