import { hash } from 'node:crypto';
import { forEachLimit } from '../../storage/concurrency-limit.ts';
import type { Remote } from '../../storage/remote.ts';
import { layoutOf } from '../../tree/build-record.ts';
import { ENCODINGS, encodingsIn } from '../../tree/encoding.ts';
import { sortKeysIn } from '../../tree/existing-tree.ts';
import { hasPage, type Layout, pathsOfPages } from '../../tree/layout.ts';
import { Digests, digestsOfGroup } from '../../tree/manifest/digests.ts';
import { piecesIn } from '../../tree/manifest/lines.ts';
import { browseGroupOf, browseGroups, browseLines, groupOf, linesOfGroup, listFiles, NO_FILES } from '../../tree/manifest/listing.ts';
import { MANIFEST } from '../../tree/manifest/manifest.ts';
import { movementBetween } from '../../tree/moved-items.ts';
import { readSortKeys, SORT_KEYS } from '../../tree/sort-keys.ts';
import { readMetadata, readSortKeysFile, type VerifiedTree } from '../../tree/verified-tree.ts';
import { fileHeaders, type HeaderChoice, headerLine } from '../objects/headers.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import { type Comparison, type FoundTree, UNKNOWN_DIGEST } from '../planning/tree-comparison.ts';
import type { PublishState, TreeSize } from '../state/state.ts';
import { unmanagedTrees } from './unmanaged-tree.ts';

/** The options for reading a target, with the headers that pages get. */
export interface ReadOptions extends HeaderChoice {
  /** Whether to request each page even after a completed run. */
  readonly repair: boolean;
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  /** Called with the number of files that were requested, and the number of all. */
  readonly onScan?: ((done: number, all: number) => void) | undefined;
}

const NO_PAGES = { pages: { data: 0, account: 0 }, encodings: [] };

/**
 * Determines the content of a target. After a completed run, its manifest gives this in two requests. Otherwise, and
 * to repair a target, each page is requested.
 * @throws Failure not-ours
 */
export async function readRemoteTree(
  remote: Remote,
  state: PublishState | undefined,
  tree: VerifiedTree,
  options: ReadOptions,
): Promise<FoundTree> {
  const isPublishedHere = state !== undefined && isPublished(state, tree);
  const manifest = isPublishedHere ? undefined : (await remote.get(MANIFEST))?.bytes;
  // without a state, another tool copied the pages: they are replaced in the order that readers need
  const trees = state?.trees ?? (await unmanagedTrees(remote, tree.build, manifest));
  const published = isPublishedHere ? tree.digests : publishedDigests(state, manifest);
  if (published !== undefined && !options.repair) {
    return { trees, digests: published, isScanned: false, isDamaged: false, isCurrent: isPublishedHere };
  }
  const isScanned = state !== undefined || trees.length > 0;
  const there = manifest === undefined ? NO_FILES : listFiles(manifest, isScanned ? groupOf : browseGroupOf);
  const listing = published?.listing ?? there;
  const digests = new Digests(isScanned ? layoutOfAll([tree.build, ...trees]) : NO_PAGES, listing);
  await scan(remote, digests, isScanned, options);
  const isRepaired = state !== undefined && options.repair;
  const isDamaged = isRepaired && (published === undefined || [...digests.others.keys()].some((path) => hasPage(path, published)));
  const isCurrent = isRepaired && isPublishedHere && (await hasFilesBeside(remote, tree));
  return { trees, digests, isScanned, isDamaged, isCurrent };
}

/** Returns the digests that a completed run published; undefined if no run completed or its manifest is missing. */
function publishedDigests(state: PublishState | undefined, manifest: Buffer | undefined): Digests | undefined {
  const [only] = state?.state === 'published' ? state.trees : [];
  if (only === undefined || manifest === undefined || hash('sha256', manifest) !== state?.manifest) return undefined;
  return new Digests(layoutOf(only), listFiles(manifest));
}

/** Whether a completed run published the local tree. */
function isPublished({ state, manifest }: PublishState, { build }: VerifiedTree): boolean {
  return state === 'published' && manifest === build.manifest;
}

/** Returns whether the build record, the manifest and the sort keys at a target equal those of the tree. */
async function hasFilesBeside(remote: Remote, tree: VerifiedTree): Promise<boolean> {
  const files = [...readMetadata(tree), readSortKeysFile(tree)];
  const heads = await Promise.all(files.map(({ path }) => remote.head(path)));
  return files.every(({ bytes }, index) => heads[index]?.digest === hash('sha256', bytes));
}

/**
 * Returns how items move from the pages at a target to the tree's, and whether the sort keys must be sent. This takes one
 * request, or no request if the state shows that the target has those of the tree. A run sends its sort keys before its
 * pages. So they belong to the newest tree that may have a page at the target. No older tree had an item on a later page:
 * the guards would have refused that run.
 */
export async function sortKeyMovement(
  remote: Remote,
  state: PublishState | undefined,
  tree: VerifiedTree,
): Promise<Pick<Comparison, 'movement' | 'sendsSortKeys'>> {
  const trees = state?.trees ?? [];
  if (trees.every(({ sort_keys }) => sort_keys === undefined)) return { movement: undefined, sendsSortKeys: true };
  const own = sortKeysIn(tree.files);
  if (trees.every(({ sort_keys }) => sort_keys === tree.sortKeys)) return { movement: movementBetween(own, own), sendsSortKeys: false };
  const fetched = await remote.get(SORT_KEYS);
  const digest = fetched === undefined ? undefined : hash('sha256', fetched.bytes);
  const isKnown = fetched !== undefined && trees.some(({ sort_keys }) => sort_keys === digest);
  const movement = isKnown
    ? movementBetween(
        readSortKeys(() => piecesIn(fetched.bytes)),
        own,
      )
    : undefined;
  return { movement, sendsSortKeys: digest !== tree.sortKeys };
}

/** Returns the layout of a tree with as many pages as the largest tree, and all their encodings. */
function layoutOfAll(trees: readonly TreeSize[]): Layout {
  return {
    pages: { data: Math.max(...trees.map((tree) => tree.data_pages)), account: Math.max(...trees.map((tree) => tree.account_pages)) },
    encodings: ENCODINGS.filter((one) => trees.some(({ compress }) => encodingsIn(compress).includes(one))),
  };
}

/**
 * Requests the digest of each file at a target, one by one: of the browse files that its manifest lists, and of all pages. There are no
 * other browse files: a run writes the manifest with all their paths before the first new file. A file with other headers counts as
 * unknown.
 */
async function scan(remote: Remote, digests: Digests, hasPages: boolean, options: ReadOptions): Promise<void> {
  function* paths(): Generator<string> {
    if (hasPages) yield* pathsOfPages(digests);
    for (const { path } of browseLines(digests.listing)) yield path;
  }
  let [scanned, all] = [0, 0];
  for (const _ of paths()) all += 1;
  await forEachLimit(paths(), options.concurrency, async (path) => {
    const head = await remote.head(path);
    scanned += 1;
    options.onScan?.(scanned, all);
    const hasHeaders = head?.headers === undefined || headerLine(head.headers) === headerLine(fileHeaders(options, path));
    digests.set(path, head && ((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST));
  });
}

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
