import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import type { Target } from '../../storage/target.ts';
import { hasTree } from '../../tree/build-record.ts';
import { STATE } from '../state/state.ts';

/**
 * Refuses a run whose target is the folder of a tree, and whose tree is the published folder or does not exist: the user has
 * swapped the two. A folder with a tree but without `publish.json` may also be a copy, so the user can allow it.
 * @throws Failure not-ours
 */
export function refuseSwapped({ name, names }: Pick<Target, 'name' | 'names'>, out: string): void {
  if (names === undefined || isPublished(name) || !hasTree(name)) return;
  const isTree = hasTree(out);
  if (isTree && !isPublished(out)) return;
  throw new Failure('not-ours', `cannot publish ${out} to ${name}, because ${name} is a tree`, {
    place: { file: name },
    expected: 'a tree in the folder of --out, and a published folder or a new one as the target',
    found: `a tree in the target ${name}, and ${isTree ? 'a published folder' : 'no tree'} in ${out}`,
    hint: hint`did you mean ${suggested('publish', { '--out': name }, [out])}? To publish to a copy of a tree, add --allow-other-files; nothing was changed`,
  });
}

function isPublished(folder: string): boolean {
  return existsSync(join(folder, STATE));
}
