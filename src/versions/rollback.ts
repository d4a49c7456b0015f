import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Remote } from '../storage/remote.ts';
import { commitPath } from './commit-format.ts';
import { type Found, isMissing, known } from './newest-commit.ts';
import { SITE_KIND, type SiteVersion } from './site-version.ts';

/** Pages as files have no versions: the store goes back instead. */
const WAY_BACK = hint`pages as files have no versions. To publish an earlier state of the store, find its number with ${suggested('store versions', {}, ['BACKUP'])}. Then run ${suggested('store pull', { '--number': 'NUMBER', '--replace': true }, ['BACKUP'])}, ${suggested('build', { '--replace-tree': true })} and ${suggested('publish', { '--allow-gaps': true })}; nothing was changed`;

/**
 * Returns the versions that stay after a rollback. The last one is then current.
 * @param to the number of the version to go back to; `true` for the one before the current one
 * @throws Failure no-version if the version is not live, or its file is missing or has another length
 */
export async function keptByRollback(remote: Remote, found: Found<SiteVersion>, to: number | true): Promise<readonly SiteVersion[]> {
  const live = found.newest?.commit.versions ?? [];
  const number = to === true ? live.at(-2)?.number : to;
  if (number === undefined) throw noVersion(remote, live, 'no version before the current one');
  const index = live.findIndex((one) => one.number === number);
  const version = live[index];
  if (version === undefined) throw noVersion(remote, live, `version ${number}, which is not live`);
  const isUnlisted = number < found.from;
  if (isUnlisted ? (await remote.head(version.file)) === undefined : isMissing(found, version))
    throw noVersion(remote, live, `version ${number}, whose file is missing or has another length`);
  return live.slice(0, index + 1);
}

/** Returns the base URL of the pages of a version, from the commit that published it. Undefined if it cannot be read. */
export async function baseUrlOf(remote: Remote, { number }: Pick<SiteVersion, 'number'>): Promise<string | undefined> {
  const path = commitPath(number);
  return known(SITE_KIND, path, (await remote.get(path))?.bytes)?.commit.base_url;
}

function noVersion({ name }: Remote, live: readonly SiteVersion[], found: string): Failure {
  return new Failure('no-version', `${name} cannot go to that version`, {
    place: { file: name },
    expected:
      live.length === 0
        ? 'a target with versions'
        : `one of ${plural(live.length, 'live version')}, from ${live[0]?.number} to ${live.at(-1)?.number}`,
    found,
    hint: live.length === 0 ? WAY_BACK : hint`run ${suggested('versions')} to see the versions; nothing was changed`,
  });
}
