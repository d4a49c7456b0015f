import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOME } from '../../browse/paths.ts';
import { Failure } from '../../contract/failure.ts';
import { VERSIONS_MARKER } from '../../contract/files/markers.ts';
import { hint, suggested } from '../../contract/hint.ts';
import type { Remote } from '../../storage/remote.ts';
import type { Target } from '../../storage/target.ts';
import { placeOf } from '../../storage/targets/folder-file.ts';
import { BUILD_RECORD, hasTree } from '../../tree/build-record.ts';
import type { Digests } from '../../tree/manifest/digests.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import { notOurs, STATE } from '../state/state.ts';

/**
 * Refuses a folder that contains files and was never published to. Otherwise a typo would put a tree into `/etc`. Refuses a folder inside
 * a target with versions, too: the site or the store there would have files that it does not know.
 * A tree that was copied there is recognized by its build record. A bucket is not listed.
 * @param also the name of one more file that a publish wrote there
 * @throws Failure not-ours
 */
export function refuseOtherFiles(target: Pick<Target, 'name' | 'names'>, also?: string): void {
  const names = target.names?.() ?? [];
  // the first file that a killed run leaves is the state or the marker, or the temporary file of one
  const isOurs = (name: string) => name.startsWith(STATE) || name.startsWith(VERSIONS_MARKER) || name === BUILD_RECORD || name === also;
  if (names.some(isOurs)) return;
  const outer = target.names === undefined ? undefined : versionsAround(placeOf(target.name));
  if (outer !== undefined) {
    throw new Failure('not-ours', `${target.name} is inside ${outer}, which has versions of another site or of a store`, {
      place: { file: target.name },
      expected: 'a folder outside of other targets',
      found: join(outer, VERSIONS_MARKER),
      hint: 'publish to a folder beside it, or to the target itself; --allow-other-files publishes here anyway; nothing was changed',
    });
  }
  if (names.length === 0) return;
  throw new Failure('not-ours', `${target.name} contains files that palimpsest did not publish`, {
    place: { file: target.name },
    expected: 'a new or empty folder, or one that palimpsest published to before',
    found: names.toSorted().slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : ''),
    hint: 'check the path, or publish beside these files with --allow-other-files',
  });
}

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

/**
 * Refuses to replace the home page of another program.
 * @throws Failure not-ours
 */
export async function refuseOtherHome(remote: Remote, tree: VerifiedTree, found: Digests): Promise<void> {
  const wanted = tree.digests.get(HOME);
  const head = wanted === undefined || found.listed(HOME) !== undefined ? undefined : await remote.head(HOME);
  if (head === undefined || head.digest === wanted) return;
  throw notOurs(remote, { file: HOME }, 'no such file, or a tree that was built without --html', 'another home page');
}

/** Returns the nearest parent folder that is a target with versions. */
function versionsAround(folder: string): string | undefined {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  return existsSync(join(parent, VERSIONS_MARKER)) ? parent : versionsAround(parent);
}

function isPublished(folder: string): boolean {
  return existsSync(join(folder, STATE));
}
