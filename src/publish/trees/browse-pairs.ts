import { HOME } from '../../browse/paths.ts';
import { Failure } from '../../contract/failure.ts';
import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import { type BrowseListing, linesOfBytes, linesOfGroup, listBrowseFiles, NO_BROWSE } from '../../tree/browse-lines.ts';
import { Digests } from '../../tree/digests.ts';
import { MANIFEST } from '../../tree/manifest.ts';
import { fileHeaders, headerLine } from '../objects/headers.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import { UNKNOWN_DIGEST } from '../planning/comparison.ts';
import type { LocalTree } from './local-tree.ts';
import type { ScanOptions } from './page-scan.ts';

/** The browse files at a target. */
export interface FoundBrowse {
  /** What the manifest at the target lists. */
  readonly listing: BrowseListing;
  /** The digests of the files that were requested, by the place of their pair; undefined if the manifest is right. */
  readonly scanned?: Digests | undefined;
}

/** Yields the browse files of a tree and of a target. In memory are the lines of one part at a time. */
export function* browsePairs({ browse, browseSizes }: LocalTree, { listing, scanned }: FoundBrowse): Generator<BrowsePair> {
  let [place, own] = [0, 0];
  for (const part of new Set([...browse.extents.keys(), ...listing.extents.keys()])) {
    const listed = new Map<string, string>();
    for (const { path, digest } of linesOfGroup(listing, part)) listed.set(path, digest);
    const there = (path: string) => (scanned === undefined || !listed.has(path) ? listed.get(path) : scanned.get(place));
    for (const { path, digest } of linesOfGroup(browse, part)) {
      yield { path, wanted: digest, there: there(path), isListed: listed.has(path), bytes: browseSizes[own] ?? 0 };
      listed.delete(path);
      place += 1;
      own += 1;
    }
    for (const path of [...listed.keys()]) {
      yield { path, wanted: undefined, there: there(path), isListed: true, bytes: 0 };
      place += 1;
    }
  }
}

/** Returns what the manifest at a target lists. */
export async function listingAt(remote: Remote): Promise<BrowseListing> {
  const fetched = await remote.get(MANIFEST);
  return fetched === undefined ? NO_BROWSE : listBrowseFiles(linesOfBytes(fetched.bytes));
}

/**
 * Requests the digest of each browse file that the manifest at the target lists. There are no others: a run writes the
 * manifest with all its paths before the first new file.
 */
export async function scanBrowse(remote: Remote, tree: LocalTree, listing: BrowseListing, options: ScanOptions): Promise<FoundBrowse> {
  let count = 0;
  for (const _ of browsePairs(tree, { listing })) count += 1;
  const scanned = new Digests(count);
  let [place, done] = [-1, 0];
  function* listed(): Generator<{ readonly path: string; readonly place: number }> {
    for (const { path, isListed } of browsePairs(tree, { listing })) {
      place += 1;
      if (isListed) yield { path, place };
    }
  }
  await forEachLimit(listed(), options.concurrency, async (file) => {
    const head = await remote.head(file.path);
    done += 1;
    options.onScan?.(done, count);
    if (head === undefined) return;
    const hasHeaders = head.headers === undefined || headerLine(head.headers) === headerLine(fileHeaders(options, file.path));
    scanned.set(file.place, Buffer.from((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST, 'hex'));
  });
  return { listing, scanned };
}

/**
 * Refuses to replace the home page of another program.
 * @throws Failure not-ours
 */
export async function refuseOtherHome(remote: Remote, tree: LocalTree, { listing }: FoundBrowse): Promise<void> {
  for (const { path, wanted, isListed } of browsePairs(tree, { listing })) {
    if (path !== HOME || wanted === undefined || isListed) continue;
    const head = await remote.head(HOME);
    if (head === undefined || head.digest === wanted) continue;
    throw new Failure('not-ours', `${remote.name} has an ${HOME} that palimpsest did not publish`, {
      place: { file: HOME },
      expected: 'no such file, because the home page of the tree is written there',
      found: 'another file',
      hint: 'move that file away, publish to another target or prefix, or build without --html; nothing was changed',
    });
  }
}
