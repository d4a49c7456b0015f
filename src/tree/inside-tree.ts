import { dirname, resolve } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { hasTree } from './build-record.ts';

/**
 * Refuses a path to write to that is a tree, or inside of one: readers of the tree would find the file there.
 * @throws Failure usage
 */
export function refuseInsideTree(to: string): void {
  for (let path = resolve(to), before = ''; path !== before; before = path, path = dirname(path)) {
    if (!hasTree(path)) continue;
    throw new Failure('usage', `${to} is inside the tree`, {
      place: { field: '--to' },
      expected: `a path outside ${path}`,
      found: to,
      hint: 'name a path outside the tree, because every file in the tree is published',
    });
  }
}
