import { HOME } from '../../browse/paths.ts';
import type { Remote } from '../../storage/remote.ts';
import { type BrowseListing, linesOfGroup } from '../../tree/manifest/browse-lines.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import { notOurs } from '../state/state.ts';

/** The browse files at a target. */
export interface FoundBrowse {
  /** What the manifest at the target lists. */
  readonly listing: BrowseListing;
  /** The digests of the files that are not as the manifest says, by path. A missing file has none. */
  readonly others?: ReadonlyMap<string, string | undefined> | undefined;
}

/** Yields the browse files of a tree and of a target. In memory are the lines of one part at a time. */
export function* browsePairs({ browse }: VerifiedTree, { listing, others }: FoundBrowse): Generator<BrowsePair> {
  for (const part of new Set([...browse.extents.keys(), ...listing.extents.keys()])) {
    const listed = new Map<string, string>();
    for (const { path, digest } of linesOfGroup(listing, part)) listed.set(path, digest);
    const there = (path: string) => (others?.has(path) ? others.get(path) : listed.get(path));
    for (const { path, digest } of linesOfGroup(browse, part)) {
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
export async function refuseOtherHome(remote: Remote, tree: VerifiedTree, { listing }: FoundBrowse): Promise<void> {
  for (const { path, wanted, isListed } of browsePairs(tree, { listing })) {
    if (path !== HOME || wanted === undefined || isListed) continue;
    const head = await remote.head(HOME);
    if (head === undefined || head.digest === wanted) continue;
    throw notOurs(remote, { file: HOME }, 'no such file, or a tree that was built without --html', 'another home page');
  }
}
