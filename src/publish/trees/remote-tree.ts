import { hash } from 'node:crypto';
import { COLLECTIONS } from '../../contract/collection.ts';
import type { Remote } from '../../storage/remote.ts';
import { type BrowseListing, linesOfBytes, listBrowseFiles } from '../../tree/browse-lines.ts';
import type { Digests } from '../../tree/digests.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import { slotCount } from '../../tree/layout.ts';
import { MANIFEST, parseManifest, type TreeDigests } from '../../tree/manifest.ts';
import { digestAt, type FoundTree } from '../planning/comparison.ts';
import type { FoundState, PublishState } from '../state/state.ts';
import { type FoundBrowse, listingAt, scanBrowse } from './browse-pairs.ts';
import { type LocalTree, readMetadata, readSortKeysFile } from './local-tree.ts';
import { emptyDigests, type ScanOptions, scanPages } from './page-scan.ts';
import { unmanagedTrees } from './unmanaged-tree.ts';

/** The options for reading a target. */
export interface ReadOptions extends ScanOptions {
  /** Whether to request each page even after a completed run. */
  readonly repair: boolean;
}

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
  tree: LocalTree,
  options: ReadOptions,
): Promise<RemoteTree> {
  const noScan = { overlapped: { data: new Set<number>(), account: new Set<number>() }, isScanned: false, isDamaged: false };
  if (read === undefined) {
    // another tool copied the pages: they are replaced in the order that readers need
    const trees = await unmanagedTrees(remote, tree.build);
    const found = { state: undefined, trees, isCurrent: false };
    const browse = await scanBrowse(remote, tree, await listingAt(remote), options);
    if (trees.length === 0) return { ...found, ...noScan, digests: emptyDigests(0, 0, []), browse };
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
  const browse = await scanBrowse(remote, tree, published?.listing ?? (await listingAt(remote)), options);
  const found = { state, trees, ...scanned, isScanned: true, browse };
  if (!options.repair) return { ...found, isDamaged: false, isCurrent: false };
  return {
    ...found,
    isDamaged: published === undefined || COLLECTIONS.some((name) => differs(published.digests[name], found.digests[name])),
    isCurrent: isPublishedHere && (await hasFilesBeside(remote, tree)),
  };
}

/** What a completed run published. */
interface Published {
  readonly digests: TreeDigests;
  readonly listing: BrowseListing;
}

/** Returns what a completed run published; undefined if no run completed or its manifest is missing. */
async function publishedTree(remote: Remote, state: PublishState, tree: LocalTree): Promise<Published | undefined> {
  const [only] = state.trees;
  if (state.state !== 'published' || only === undefined) return undefined;
  if (isPublished(state, tree)) return { digests: tree.digests, listing: tree.browse };
  const manifest = await remote.get(MANIFEST);
  if (manifest === undefined || hash('sha256', manifest.bytes) !== state.manifest) return undefined;
  const pages = { data: only.data_pages, account: only.account_pages };
  const digests = parseManifest(manifest.bytes, pages, encodingsIn(only.compress));
  return { digests, listing: listBrowseFiles(linesOfBytes(manifest.bytes)) };
}

/** Whether a completed run published the local tree. */
function isPublished({ state, manifest }: PublishState, { build }: LocalTree): boolean {
  return state === 'published' && manifest === build.manifest;
}

function differs(wanted: Digests, there: Digests): boolean {
  for (let slot = 0; slot < slotCount(wanted.pages, wanted.encodings); slot += 1) {
    if (wanted.get(slot) !== digestAt(there, wanted, slot)) return true;
  }
  return false;
}

/** Returns whether the build record, the manifest and the sort keys at a target equal those of the tree. */
async function hasFilesBeside(remote: Remote, tree: LocalTree): Promise<boolean> {
  const files = [...readMetadata(tree), readSortKeysFile(tree)];
  const heads = await Promise.all(files.map(({ path }) => remote.head(path)));
  return files.every(({ bytes }, index) => heads[index]?.digest === hash('sha256', bytes));
}
