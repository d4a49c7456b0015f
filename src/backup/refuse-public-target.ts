import { Failure } from '../contract/failure.ts';
import { SITE_MARKER, VERSIONS_MARKER } from '../contract/files/markers.ts';
import type { Remote } from '../storage/remote.ts';
import { versionsAt } from '../storage/target-form.ts';

/** The files that identify a site of pages: the state of a publish, and a page of a tree that another tool copied. */
const SITE: readonly string[] = [SITE_MARKER, 'rest/data/index.json'];

/**
 * Refuses a target that is a public site, is inside one or contains one, because a store can contain more than the pages show.
 * @param around the parents of the target; those that may not be read are skipped
 * @param inside the names in the target if it is a folder. The objects of a bucket are not listed
 * @throws Failure not-ours
 */
export async function refusePublicTarget(remote: Remote, around: readonly Remote[], inside: readonly string[]): Promise<void> {
  await refuseSite(remote);
  for (const name of inside) {
    // a name that cannot be read, such as a link that leaves the folder, is not a site
    const path = await siteAt(remote, `${name}/`).catch(() => undefined);
    if (path !== undefined) throw publicPlace(`${remote.name} contains a public site: everybody may be able to read the store`, path);
  }
  for (const place of around) {
    await refuseSite(place).catch((error: unknown) => {
      // credentials that permit only one prefix are good practice
      if (!(error instanceof Failure && (error.code === 'target-denied' || error.code === 'file-system'))) throw error;
    });
  }
}

async function refuseSite(remote: Remote): Promise<void> {
  const path = await siteAt(remote, '');
  if (path !== undefined) throw publicPlace(`${remote.name} is a public site: everybody could read the store`, path);
}

/** Returns the path of a file that identifies a site in a folder. */
async function siteAt(remote: Remote, folder: string): Promise<string | undefined> {
  for (const path of SITE.map((file) => folder + file)) if ((await remote.head(path)) !== undefined) return path;
  const marker = folder + VERSIONS_MARKER;
  return (await versionsAt(remote, marker)) === 'site' ? marker : undefined;
}

function publicPlace(message: string, path: string): Failure {
  return new Failure('not-ours', message, {
    place: { file: path },
    expected: 'a private target separate from the site, preferably in a separate bucket',
    found: `${path}, a file of a published site`,
    hint: 'name another bucket, container or folder; nothing was changed',
  });
}
