import { openRemote, type RemoteOptions } from '../storage/remote.ts';
import type { Target } from '../storage/target.ts';
import type { Withdrawn } from './commit.ts';
import { readNewest } from './newest.ts';
import { type SiteVersion, siteKind } from './site-version.ts';

export interface VersionList {
  /** Newest first. */
  readonly versions: readonly (SiteVersion & { readonly current: boolean })[];
  /** Newest first. The numbers that were withdrawn last. */
  readonly withdrawn: readonly Withdrawn[];
  /** What the next publish repairs. */
  readonly problems: readonly string[];
}

/**
 * Returns the versions of a site at a target. Writes nothing.
 * @throws Failure other-form, not-ours, target-failed, target-denied, stopped
 */
export async function listVersions(target: Target, options: RemoteOptions): Promise<VersionList> {
  const { newest, problems } = await readNewest(openRemote(target, options), siteKind(''), { remembered: undefined, listing: 'newest' });
  const live = newest?.commit.versions ?? [];
  return {
    versions: live.map((one) => ({ ...one, current: one === live.at(-1) })).toReversed(),
    withdrawn: (newest?.commit.withdrawn ?? []).toReversed(),
    problems,
  };
}
