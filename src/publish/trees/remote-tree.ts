import { hash } from 'node:crypto';
import { forEachLimit } from '../../storage/concurrency-limit.ts';
import type { Remote } from '../../storage/remote.ts';
import { layoutOf } from '../../tree/build-record.ts';
import { ENCODINGS, encodingsIn } from '../../tree/encoding.ts';
import { sortKeysIn } from '../../tree/existing-tree.ts';
import { fileCount } from '../../tree/layout.ts';
import { allBrowseLines, type BrowseListing, linesOfBytes, listBrowseFiles, NO_BROWSE } from '../../tree/manifest/browse-lines.ts';
import { Digests } from '../../tree/manifest/digests.ts';
import { type ManifestLine, piecesIn } from '../../tree/manifest/lines.ts';
import { MANIFEST, readManifest } from '../../tree/manifest/manifest.ts';
import { movementBetween } from '../../tree/movement.ts';
import { readSortKeys, SORT_KEYS } from '../../tree/sort-keys.ts';
import { readMetadata, readSortKeysFile, type VerifiedTree } from '../../tree/verified-tree.ts';
import { fileHeaders, type HeaderChoice, headerLine } from '../objects/headers.ts';
import { type Comparison, type FoundTree, UNKNOWN_DIGEST } from '../planning/tree-comparison.ts';
import type { PublishState, TreeSize } from '../state/state.ts';
import type { FoundBrowse } from './browse-pairs.ts';
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

/** The content of a target. */
export interface RemoteTree extends FoundTree {
  readonly browse: FoundBrowse;
}

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
): Promise<RemoteTree> {
  const isPublishedHere = state !== undefined && isPublished(state, tree);
  const manifest = isPublishedHere ? undefined : (await remote.get(MANIFEST))?.bytes;
  // without a state, another tool copied the pages: they are replaced in the order that readers need
  const trees = state?.trees ?? (await unmanagedTrees(remote, tree.build, manifest));
  const published = isPublishedHere ? tree.digests : publishedDigests(state, manifest);
  const there = manifest === undefined ? NO_BROWSE : listBrowseFiles(linesOfBytes(manifest));
  const listing = isPublishedHere ? tree.browse : there;
  if (published !== undefined && !options.repair) {
    return { trees, digests: published, browse: { listing }, isScanned: false, isDamaged: false, isCurrent: isPublishedHere };
  }
  const isScanned = state !== undefined || trees.length > 0;
  const digests = isScanned ? await scanPages(remote, tree, trees, options) : new Digests(NO_PAGES);
  const browse = await scanBrowse(remote, listing, options);
  const isRepaired = state !== undefined && options.repair;
  const isDamaged = isRepaired && (published === undefined || differs(published, digests));
  const isCurrent = isRepaired && isPublishedHere && (await hasFilesBeside(remote, tree));
  return { trees, digests, browse, isScanned, isDamaged, isCurrent };
}

/** Returns the digests that a completed run published; undefined if no run completed or its manifest is missing. */
function publishedDigests(state: PublishState | undefined, manifest: Buffer | undefined): Digests | undefined {
  const [only] = state?.state === 'published' ? state.trees : [];
  if (only === undefined || manifest === undefined || hash('sha256', manifest) !== state?.manifest) return undefined;
  return readManifest(piecesIn(manifest), layoutOf(only));
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

/**
 * Requests the digest of each page at a target, one by one.
 * @param trees the trees that the pages may come from
 * @returns the digests, with the layout of a tree with as many pages as the largest tree
 */
async function scanPages(remote: Remote, { build }: VerifiedTree, trees: readonly TreeSize[], options: ReadOptions): Promise<Digests> {
  const all = [build, ...trees];
  const digests = new Digests({
    pages: { data: Math.max(...all.map((tree) => tree.data_pages)), account: Math.max(...all.map((tree) => tree.account_pages)) },
    encodings: ENCODINGS.filter((one) => all.some(({ compress }) => encodingsIn(compress).includes(one))),
  });
  await scan(remote, digests.entries(), fileCount(digests), options, ({ path }, digest) => {
    if (digest !== undefined) digests.set(path, Buffer.from(digest, 'hex'));
  });
  return digests;
}

/**
 * Requests files at a target, one by one.
 * @param all the number of files, for the progress
 * @param onFound called with the digest of each file. A file with other headers counts as unknown, and a missing one has none
 */
async function scan<F extends Pick<ManifestLine, 'path'>>(
  remote: Remote,
  files: Iterable<F>,
  all: number,
  options: ReadOptions,
  onFound: (file: F, digest: string | undefined) => void,
): Promise<void> {
  let scanned = 0;
  await forEachLimit(files, options.concurrency, async (file) => {
    const head = await remote.head(file.path);
    scanned += 1;
    options.onScan?.(scanned, all);
    const hasHeaders = head?.headers === undefined || headerLine(head.headers) === headerLine(fileHeaders(options, file.path));
    onFound(file, head && ((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST));
  });
}

/**
 * Requests the digest of each browse file that the manifest at the target lists. There are no others: a run writes the
 * manifest with all its paths before the first new file.
 */
async function scanBrowse(remote: Remote, listing: BrowseListing, options: ReadOptions): Promise<FoundBrowse> {
  let count = 0;
  for (const _ of allBrowseLines(listing)) count += 1;
  const others = new Map<string, string | undefined>();
  await scan(remote, allBrowseLines(listing), count, options, ({ path, digest: listed }, digest) => {
    if (digest !== listed) others.set(path, digest);
  });
  return { listing, others };
}
