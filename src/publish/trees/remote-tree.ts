import { hash } from 'node:crypto';
import type { Remote } from '../../storage/remote.ts';
import { layoutOf } from '../../tree/build-record.ts';
import { sortKeysIn } from '../../tree/existing-tree.ts';
import { type BrowseListing, linesOfBytes, listBrowseFiles } from '../../tree/manifest/browse-lines.ts';
import { Digests } from '../../tree/manifest/digests.ts';
import { piecesIn } from '../../tree/manifest/lines.ts';
import { MANIFEST, readManifest } from '../../tree/manifest/manifest.ts';
import { type Movement, movementBetween } from '../../tree/movement.ts';
import { readSortKeys, SORT_KEYS } from '../../tree/sort-keys.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import type { FoundTree } from '../planning/tree-comparison.ts';
import type { FoundState, PublishState } from '../state/state.ts';
import { type FoundBrowse, listingAt, scanBrowse } from './browse-pairs.ts';
import { readMetadata, readSortKeysFile } from './local-tree.ts';
import { type ScanOptions, scanPages } from './page-scan.ts';
import { unmanagedTrees } from './unmanaged-tree.ts';

/** The options for reading a target. */
export interface ReadOptions extends ScanOptions {
  /** Whether to request each page even after a completed run. */
  readonly repair: boolean;
}

const NO_PAGES = { pages: { data: 0, account: 0 }, encodings: [] };

/** The content of a target. */
export interface RemoteTree extends FoundTree {
  readonly state: PublishState | undefined;
  readonly browse: FoundBrowse;
}

/**
 * Determines the content of a target. After a completed run, its manifest gives this in two requests. Otherwise, and
 * to repair a target, each page is requested.
 * @throws Failure not-ours
 */
export async function readRemoteTree(
  remote: Remote,
  read: FoundState | undefined,
  tree: VerifiedTree,
  options: ReadOptions,
): Promise<RemoteTree> {
  const noScan = { overlapped: new Set<string>(), isScanned: false, isDamaged: false };
  if (read === undefined) {
    // another tool copied the pages: they are replaced in the order that readers need
    const trees = await unmanagedTrees(remote, tree.build);
    const found = { state: undefined, trees, isCurrent: false };
    const browse = await scanBrowse(remote, await listingAt(remote), options);
    if (trees.length === 0) return { ...found, ...noScan, digests: new Digests(NO_PAGES), browse };
    return { ...found, ...(await scanPages(remote, tree, trees, options)), isScanned: true, isDamaged: false, browse };
  }
  const { state } = read;
  const { trees } = state;
  const published = await publishedTree(remote, state, tree);
  const isPublishedHere = isPublished(state, tree);
  if (published !== undefined && !options.repair) {
    const { digests, listing } = published;
    return { state, trees, ...noScan, digests, isCurrent: isPublishedHere, browse: { listing } };
  }
  const scanned = await scanPages(remote, tree, trees, options);
  const browse = await scanBrowse(remote, published?.listing ?? (await listingAt(remote)), options);
  const found = { state, trees, ...scanned, isScanned: true, browse };
  if (!options.repair) return { ...found, isDamaged: false, isCurrent: false };
  return {
    ...found,
    isDamaged: published === undefined || differs(published.digests, found.digests),
    isCurrent: isPublishedHere && (await hasFilesBeside(remote, tree)),
  };
}

/** What a completed run published. */
interface Published {
  readonly digests: Digests;
  readonly listing: BrowseListing;
}

/** Returns what a completed run published; undefined if no run completed or its manifest is missing. */
async function publishedTree(remote: Remote, state: PublishState, tree: VerifiedTree): Promise<Published | undefined> {
  const [only] = state.trees;
  if (state.state !== 'published' || only === undefined) return undefined;
  if (isPublished(state, tree)) return { digests: tree.digests, listing: tree.browse };
  const manifest = await remote.get(MANIFEST);
  if (manifest === undefined || hash('sha256', manifest.bytes) !== state.manifest) return undefined;
  return { digests: readManifest(piecesIn(manifest.bytes), layoutOf(only)), listing: listBrowseFiles(linesOfBytes(manifest.bytes)) };
}

/** Whether a completed run published the local tree. */
function isPublished({ state, manifest }: PublishState, { build }: VerifiedTree): boolean {
  return state === 'published' && manifest === build.manifest;
}

function differs(wanted: Digests, there: Digests): boolean {
  for (const { path, digest } of wanted.entries()) if (digest !== there.get(path)) return true;
  return false;
}

/** Returns whether the build record, the manifest and the sort keys at a target equal those of the tree. */
async function hasFilesBeside(remote: Remote, tree: VerifiedTree): Promise<boolean> {
  const files = [...readMetadata(tree), readSortKeysFile(tree)];
  const heads = await Promise.all(files.map(({ path }) => remote.head(path)));
  return files.every(({ bytes }, index) => heads[index]?.digest === hash('sha256', bytes));
}

/** The result of comparing the sort keys at a target with those of the tree. */
export interface SortKeyMovement {
  /** How items move from the pages at the target to the tree's; undefined if the target's sort keys do not match its pages. */
  readonly movement: Movement | undefined;
  /** Whether the sort keys at the target equal those of the tree. */
  readonly areCurrent: boolean;
}

/**
 * Compares the sort keys at a target with the tree's. This takes one request, or no request if the state shows that
 * they are equal. A run sends its sort keys before its pages. So they belong to the newest tree that may have a page
 * at the target. No older tree had an item on a later page: the guards would have refused that run.
 */
export async function sortKeyMovement(remote: Remote, state: PublishState | undefined, tree: VerifiedTree): Promise<SortKeyMovement> {
  if (state === undefined) return { movement: undefined, areCurrent: false };
  const own = sortKeysIn(tree.files);
  if (state.trees.every(({ sort_keys }) => sort_keys === tree.sortKeys)) return { movement: movementBetween(own, own), areCurrent: true };
  if (state.trees.every(({ sort_keys }) => sort_keys === undefined)) return { movement: undefined, areCurrent: false };
  const fetched = await remote.get(SORT_KEYS);
  const digest = fetched === undefined ? undefined : hash('sha256', fetched.bytes);
  const isKnown = fetched !== undefined && state.trees.some(({ sort_keys }) => sort_keys === digest);
  const movement = isKnown
    ? movementBetween(
        readSortKeys(() => piecesIn(fetched.bytes)),
        own,
      )
    : undefined;
  return { movement, areCurrent: digest === tree.sortKeys };
}
