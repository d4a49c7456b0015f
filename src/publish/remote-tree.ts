import { hash } from 'node:crypto';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/shape.ts';
import { forEachLimit } from '../storage/pool.ts';
import type { Target } from '../storage/target.ts';
import { Digests } from '../tree/digests.ts';
import { ENCODINGS, type Encoding, encodingsIn } from '../tree/encoding.ts';
import { pathOf, slotCount } from '../tree/layout.ts';
import { MANIFEST, parseManifest, type TreeDigests } from '../tree/manifest.ts';
import { digestAt, UNKNOWN_DIGEST } from './comparison.ts';
import { type HeaderChoice, headerLine, pageHeaders } from './headers.ts';
import { type LocalTree, readBeside, readSortKeysFile } from './local-tree.ts';
import { type PublishState, parseState, STATE, sizeOf, type TreeSize } from './state.ts';
import { unmanagedTrees } from './unmanaged-tree.ts';

/** The options for reading a target, with the headers that pages get. */
export interface ReadOptions extends HeaderChoice {
  /** Whether to request each page even after a completed run. */
  readonly repair: boolean;
  /** Called with the number of files at the target that were requested one by one, and the number of all. */
  readonly onScan: (done: number, all: number) => void;
}

/** The content of a target. */
export interface RemoteTree {
  readonly state: PublishState | undefined;
  /** The tag of the state's object. */
  readonly tag: string | undefined;
  /** The trees that its pages may come from; empty if the target has no pages. */
  readonly trees: readonly TreeSize[];
  /** The digests of its pages, numbered as in a tree with as many pages as the largest of `trees`. */
  readonly digests: TreeDigests;
  /** The pages that are already overlap pages for this tree. */
  readonly overlapped: { readonly [C in Collection]: ReadonlySet<number> };
  /** Whether `digests` was requested page by page, because no completed run describes the pages, or to repair them. */
  readonly isScanned: boolean;
  /** Whether pages differ from those that the last run wrote, or this cannot be determined. */
  readonly isDamaged: boolean;
  /** Whether a run published the local tree completely, and the files beside its pages are unchanged since. */
  readonly isCurrent: boolean;
}

/** The state read from a target, with the tag of its object. */
export interface FoundState {
  readonly state: PublishState;
  readonly tag: string;
}

/** Reads the state of a target; undefined if it has no state. */
export async function readState(target: Target, signal: AbortSignal): Promise<FoundState | undefined> {
  const fetched = await target.get(STATE, signal);
  if (fetched === undefined) return undefined;
  try {
    return { state: parseState(fetched.bytes), tag: fetched.tag };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Failure('not-ours', `${target.name} has a ${STATE} that palimpsest did not write`, {
      place: { file: STATE, field: error.field },
      expected: error.expected,
      found: error.found,
      hint: 'publish to another prefix, or remove that object; nothing was touched',
    });
  }
}

/**
 * Determines the content of a target. After a completed run, its manifest gives this in two requests. Otherwise, and
 * to repair a target, each page is requested.
 * @throws Failure not-ours
 */
export async function readRemote(
  target: Target,
  read: FoundState | undefined,
  tree: LocalTree,
  choice: ReadOptions,
  concurrency: number,
  signal: AbortSignal,
): Promise<RemoteTree> {
  const noOverlaps = { data: new Set<number>(), account: new Set<number>() };
  const [isDamaged, isCurrent] = [false, false];
  if (read === undefined) {
    // another tool copied the pages: they are replaced in the order that readers need
    const trees = await unmanagedTrees(target, tree.build, signal);
    const found = { state: undefined, tag: undefined, trees, isDamaged, isCurrent };
    if (trees.length === 0) return { ...found, digests: emptyDigests(0, 0, []), overlapped: noOverlaps, isScanned: false };
    return { ...found, ...(await scanRemote(target, tree, choice, trees, concurrency, signal)) };
  }
  const { state, tag } = read;
  const { trees } = state;
  const published = await publishedDigests(target, state, tree, signal);
  if (published !== undefined && !choice.repair) {
    return {
      state,
      tag,
      trees,
      digests: published,
      overlapped: noOverlaps,
      isScanned: false,
      isDamaged,
      isCurrent: isPublished(state, tree),
    };
  }
  const scanned = await scanRemote(target, tree, choice, trees, concurrency, signal);
  const found = { state, tag, trees, ...scanned };
  if (!choice.repair) return { ...found, isDamaged, isCurrent };
  return {
    ...found,
    isDamaged: published === undefined || COLLECTIONS.some((name) => differs(published[name], scanned.digests[name])),
    isCurrent: isPublished(state, tree) && (await hasFilesBeside(target, tree, signal)),
  };
}

/** Returns the digests that a completed run published; undefined if no run completed or its manifest is missing. */
async function publishedDigests(
  target: Target,
  state: PublishState,
  tree: LocalTree,
  signal: AbortSignal,
): Promise<TreeDigests | undefined> {
  const [only] = state.trees;
  if (state.state !== 'published' || only === undefined) return undefined;
  if (isPublished(state, tree)) return tree.digests;
  const manifest = await target.get(MANIFEST, signal);
  if (manifest === undefined || hash('sha256', manifest.bytes) !== state.manifest) return undefined;
  return parseManifest(manifest.bytes, { data: only.data_pages, account: only.account_pages }, encodingsIn(only.compress));
}

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
async function hasFilesBeside(target: Target, tree: LocalTree, signal: AbortSignal): Promise<boolean> {
  const files = [...readBeside(tree), ...readSortKeysFile(tree)];
  const heads = await Promise.all(files.map(({ path }) => target.head(path, signal)));
  return files.every(({ bytes }, index) => heads[index]?.digest === hash('sha256', bytes));
}

function emptyDigests(data: number, account: number, encodings: readonly Encoding[]): TreeDigests {
  return { data: new Digests(data, encodings), account: new Digests(account, encodings) };
}

async function scanRemote(
  target: Target,
  { build, digests: local }: LocalTree,
  choice: ReadOptions,
  trees: readonly TreeSize[],
  concurrency: number,
  signal: AbortSignal,
): Promise<Pick<RemoteTree, 'digests' | 'overlapped' | 'isScanned'>> {
  const most = (count: (tree: TreeSize) => number) => Math.max(...[sizeOf(build), ...trees].map(count));
  const encodings = ENCODINGS.filter((one) => [sizeOf(build), ...trees].some(({ compress }) => encodingsIn(compress).includes(one)));
  const digests = emptyDigests(
    most((tree) => tree.data_pages),
    most((tree) => tree.account_pages),
    encodings,
  );
  const overlapped = { data: new Set<number>(), account: new Set<number>() };
  const all = COLLECTIONS.reduce((sum, name) => sum + slotCount(digests[name].pages, encodings), 0);
  let scanned = 0;
  for (const collection of COLLECTIONS) {
    const { pages } = digests[collection];
    const slots = Array(slotCount(pages, encodings)).keys();
    await forEachLimit(slots, concurrency, async (slot) => {
      const head = await target.head(pathOf(collection, slot, pages, encodings), signal);
      scanned += 1;
      choice.onScan(scanned, all);
      if (head === undefined) return;
      const hasHeaders =
        head.headers === undefined ||
        headerLine(head.headers) === headerLine(pageHeaders(choice, encodings[Math.floor(slot / slotCount(pages)) - 1]));
      digests[collection].set(slot, Buffer.from((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST, 'hex'));
      // a page with variants is checked again: some of its files may not be overlap pages yet
      const isAlone = local[collection].encodings.length === 0;
      if (isAlone && head.holds !== undefined && head.holds === local[collection].get(slot)) overlapped[collection].add(slot);
    });
  }
  return { digests, overlapped, isScanned: true };
}
