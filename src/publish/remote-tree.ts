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

/** What is to be looked at, and what pages are to be like. */
export interface SurveyChoice extends HeaderChoice {
  /** Whether each page is asked for though a run came to its end. */
  readonly repair: boolean;
}

/** What was found at a target. */
export interface RemoteTree {
  readonly state: PublishState | undefined;
  /** The tag of the state's object. */
  readonly tag: string | undefined;
  /** The trees that its pages may come from; none where there are no pages. */
  readonly trees: readonly TreeSize[];
  /** The digests of its pages, numbered as in a tree with as many pages as the largest of `trees`. */
  readonly digests: TreeDigests;
  /** Pages that already show what comes to stand on them beside what still does. */
  readonly overlapped: { readonly [C in Collection]: ReadonlySet<number> };
  /** Whether `digests` was asked for page by page, because no run's end says what is there, or to repair it. */
  readonly isScanned: boolean;
  /** Whether pages are not what the last run left there, or that cannot be told. */
  readonly isDamaged: boolean;
  /** Whether a run came to its end with the tree that is here, and the files beside its pages are as it left them. */
  readonly isCurrent: boolean;
}

/** The state that was read at a target, and the tag of its object. */
export interface FoundState {
  readonly state: PublishState;
  readonly tag: string;
}

/** The state at a target; undefined where there is none. */
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
 * Finds out what is at a target: from the manifest that the last run left there, in two requests; page by
 * page only where no run came to its end, since then nothing else says what each page is, or to repair it.
 * @throws Failure not-ours
 */
export async function readRemote(
  target: Target,
  read: FoundState | undefined,
  tree: LocalTree,
  choice: SurveyChoice,
  concurrency: number,
  signal: AbortSignal,
): Promise<RemoteTree> {
  const nothing = { data: new Set<number>(), account: new Set<number>() };
  const [isDamaged, isCurrent] = [false, false];
  if (read === undefined) {
    // pages that another tool brought: they are replaced in the order that readers need
    const trees = await unmanagedTrees(target, tree.build, signal);
    const found = { state: undefined, tag: undefined, trees, isDamaged, isCurrent };
    if (trees.length === 0) return { ...found, digests: none(0, 0, []), overlapped: nothing, isScanned: false };
    return { ...found, ...(await scanRemote(target, tree, choice, trees, concurrency, signal)) };
  }
  const { state, tag } = read;
  const { trees } = state;
  const published = await publishedDigests(target, state, tree, signal);
  if (published !== undefined && !choice.repair) {
    return { state, tag, trees, digests: published, overlapped: nothing, isScanned: false, isDamaged, isCurrent: isPublished(state, tree) };
  }
  const asked = await scanRemote(target, tree, choice, trees, concurrency, signal);
  const found = { state, tag, trees, ...asked };
  if (!choice.repair) return { ...found, isDamaged, isCurrent };
  return {
    ...found,
    isDamaged: published === undefined || COLLECTIONS.some((name) => differs(published[name], asked.digests[name])),
    isCurrent: isPublished(state, tree) && (await hasFilesBeside(target, tree, signal)),
  };
}

/** What a run that came to its end left at a target; undefined where none did, or its manifest is not there. */
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

/** Whether the build record, the manifest and the sort keys at a target are those of the tree. */
async function hasFilesBeside(target: Target, tree: LocalTree, signal: AbortSignal): Promise<boolean> {
  const files = [...readBeside(tree), ...readSortKeysFile(tree)];
  const held = await Promise.all(files.map(({ path }) => target.head(path, signal)));
  return files.every(({ bytes }, index) => held[index]?.digest === hash('sha256', bytes));
}

function none(data: number, account: number, encodings: readonly Encoding[]): TreeDigests {
  return { data: new Digests(data, encodings), account: new Digests(account, encodings) };
}

async function scanRemote(
  target: Target,
  { build, digests: local }: LocalTree,
  choice: HeaderChoice,
  trees: readonly TreeSize[],
  concurrency: number,
  signal: AbortSignal,
): Promise<Pick<RemoteTree, 'digests' | 'overlapped' | 'isScanned'>> {
  const most = (count: (tree: TreeSize) => number) => Math.max(...[sizeOf(build), ...trees].map(count));
  const encodings = ENCODINGS.filter((one) => [sizeOf(build), ...trees].some(({ compress }) => encodingsIn(compress).includes(one)));
  const digests = none(
    most((tree) => tree.data_pages),
    most((tree) => tree.account_pages),
    encodings,
  );
  const overlapped = { data: new Set<number>(), account: new Set<number>() };
  for (const collection of COLLECTIONS) {
    const { pages } = digests[collection];
    const slots = Array(slotCount(pages, encodings)).keys();
    await forEachLimit(slots, concurrency, async (slot) => {
      const held = await target.head(pathOf(collection, slot, pages, encodings), signal);
      if (held === undefined) return;
      const isAsWanted =
        held.headers === undefined ||
        headerLine(held.headers) === headerLine(pageHeaders(choice, encodings[Math.floor(slot / slotCount(pages)) - 1]));
      digests[collection].set(slot, Buffer.from((isAsWanted ? held.digest : undefined) ?? UNKNOWN_DIGEST, 'hex'));
      // with variants a page is looked at again: some of its files may not be overlaps yet
      const isAlone = local[collection].encodings.length === 0;
      if (isAlone && held.holds !== undefined && held.holds === local[collection].get(slot)) overlapped[collection].add(slot);
    });
  }
  return { digests, overlapped: overlapped, isScanned: true };
}
