import { Failure } from '../contract/failure.ts';
import { SITE_MARKER } from '../storage/marker.ts';
import type { Remote } from './remote.ts';

/** What shows that a place is a site: what a publish leaves there, and what a tree has that another tool brought. */
const SITE: readonly string[] = [SITE_MARKER, 'rest/data/index.json'];

/**
 * Refuses a place that readers see, or that lies in one: a store can hold more than the pages show.
 * @param around the places that it lies in, as far as they may be looked at
 * @throws Failure not-ours
 */
export async function refusePublicPlace(remote: Remote, around: readonly Remote[]): Promise<void> {
  await refuseSite(remote);
  for (const place of around) {
    await refuseSite(place).catch((error: unknown) => {
      // credentials that are good for one prefix alone are good practice
      if (!(error instanceof Failure && (error.code === 'target-denied' || error.code === 'file-system'))) throw error;
    });
  }
}

async function refuseSite(remote: Remote): Promise<void> {
  for (const path of SITE) {
    if ((await remote.head(path)) === undefined) continue;
    throw new Failure('not-ours', `${remote.name} is a site, where everybody could read the store`, {
      place: { file: path },
      expected: 'a private place apart from the site, best in a bucket of its own',
      found: `${path}, which a site has`,
      hint: 'name another bucket or container; nothing was touched',
    });
  }
}
