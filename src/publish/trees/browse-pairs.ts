import { HOME } from '../../browse/paths.ts';
import type { Remote } from '../../storage/remote.ts';
import { type Digests, digestsOfGroup } from '../../tree/manifest/digests.ts';
import { browseGroups, linesOfGroup } from '../../tree/manifest/listing.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import { notOurs } from '../state/state.ts';

/** Yields the browse files of a tree and of a target. In memory are the lines of one part at a time. */
export function* browsePairs({ digests: { listing } }: VerifiedTree, found: Digests): Generator<BrowsePair> {
  for (const part of new Set([...browseGroups(listing), ...browseGroups(found.listing)])) {
    const listed = digestsOfGroup(found.listing, part);
    const there = (path: string) => (found.others.has(path) ? found.others.get(path) : listed.get(path));
    for (const { path, digest } of linesOfGroup(listing, part)) {
      yield { path, wanted: digest, there: there(path), isListed: listed.has(path) };
      listed.delete(path);
    }
    for (const path of listed.keys()) yield { path, wanted: undefined, there: there(path), isListed: true };
  }
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
