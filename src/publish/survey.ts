import { hash } from 'node:crypto';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/shape.ts';
import { inCrew } from '../storage/crew.ts';
import type { Target } from '../storage/target.ts';
import { Digests } from '../tree/digests.ts';
import { ENCODINGS, type Encoding, encodingsIn } from '../tree/encoding.ts';
import { pathOf, slotCount } from '../tree/layout.ts';
import { MANIFEST, parseManifest, type TreeDigests } from '../tree/manifest.ts';
import { broughtTrees } from './brought-tree.ts';
import { OTHER } from './comparison.ts';
import { type HeaderChoice, headerLine, pageHeaders } from './headers.ts';
import type { LocalTree } from './local-tree.ts';
import { type PublishState, parseState, STATE, sizeOf, type TreeSize } from './state.ts';

/** What was found at a target. */
export interface Found {
  readonly state: PublishState | undefined;
  /** The tag of the state's object. */
  readonly tag: string | undefined;
  /** The trees that its pages may come from; none where there are no pages. */
  readonly trees: readonly TreeSize[];
  /** The digests of its pages, numbered as in a tree with as many pages as the largest of `trees`. */
  readonly digests: TreeDigests;
  /** Pages that already show what comes to stand on them beside what still does. */
  readonly bridged: { readonly [C in Collection]: ReadonlySet<number> };
  /** Whether `digests` was asked for page by page, because no run's end says what is there. */
  readonly isAsked: boolean;
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
 * page only where no run came to its end, since then nothing else says what each page is.
 * @throws Failure not-ours
 */
export async function survey(
  target: Target,
  read: FoundState | undefined,
  tree: LocalTree,
  choice: HeaderChoice,
  concurrency: number,
  signal: AbortSignal,
): Promise<Found> {
  const nothing = { data: new Set<number>(), account: new Set<number>() };
  if (read === undefined) {
    // pages that another tool brought: they are replaced in the order that readers need
    const trees = await broughtTrees(target, tree.build, signal);
    const found = { state: undefined, tag: undefined, trees };
    if (trees.length === 0) return { ...found, digests: none(0, 0, []), bridged: nothing, isAsked: false };
    return { ...found, ...(await askForAll(target, tree, choice, trees, concurrency, signal)) };
  }
  const { state, tag } = read;
  const { trees } = state;
  const [only] = trees;
  if (state.state === 'published' && only !== undefined) {
    if (state.manifest === tree.build.manifest) {
      return { state, tag, trees, digests: tree.digests, bridged: nothing, isAsked: false };
    }
    const manifest = await target.get(MANIFEST, signal);
    if (manifest !== undefined && hash('sha256', manifest.bytes) === state.manifest) {
      const pages = { data: only.data_pages, account: only.account_pages };
      const digests = parseManifest(manifest.bytes, pages, encodingsIn(only.compress));
      return { state, tag, trees, digests, bridged: nothing, isAsked: false };
    }
  }
  return { state, tag, trees, ...(await askForAll(target, tree, choice, trees, concurrency, signal)) };
}

function none(data: number, account: number, encodings: readonly Encoding[]): TreeDigests {
  return { data: new Digests(data, encodings), account: new Digests(account, encodings) };
}

async function askForAll(
  target: Target,
  { build, digests: local }: LocalTree,
  choice: HeaderChoice,
  trees: readonly TreeSize[],
  concurrency: number,
  signal: AbortSignal,
): Promise<Pick<Found, 'digests' | 'bridged' | 'isAsked'>> {
  const most = (count: (tree: TreeSize) => number) => Math.max(...[sizeOf(build), ...trees].map(count));
  const encodings = ENCODINGS.filter((one) => [sizeOf(build), ...trees].some(({ compress }) => encodingsIn(compress).includes(one)));
  const digests = none(
    most((tree) => tree.data_pages),
    most((tree) => tree.account_pages),
    encodings,
  );
  const bridged = { data: new Set<number>(), account: new Set<number>() };
  for (const collection of COLLECTIONS) {
    const { pages } = digests[collection];
    const slots = Array(slotCount(pages, encodings)).keys();
    await inCrew(slots, concurrency, async (slot) => {
      const held = await target.head(pathOf(collection, slot, pages, encodings), signal);
      if (held === undefined) return;
      const isAsWanted =
        held.headers === undefined ||
        headerLine(held.headers) === headerLine(pageHeaders(choice, encodings[Math.floor(slot / slotCount(pages)) - 1]));
      digests[collection].set(slot, Buffer.from((isAsWanted ? held.digest : undefined) ?? OTHER, 'hex'));
      // with variants a page is looked at again: some of its files may not be bridges yet
      const isAlone = local[collection].encodings.length === 0;
      if (isAlone && held.holds !== undefined && held.holds === local[collection].get(slot)) bridged[collection].add(slot);
    });
  }
  return { digests, bridged, isAsked: true };
}
