import type { Collection } from '../../contract/pages/collection.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import { isLastPath, pathsOfNext } from '../../tree/layout.ts';
import { shiftOf } from './reader-gaps.ts';
import { lanesOf, type Stages, type Step } from './steps.ts';
import { type Comparison, surplus, uploadsOf } from './tree-comparison.ts';

/** Plans the writes and deletes of one collection. */
export function planCollection(comparison: Comparison, collection: Collection): Stages {
  const { digests, bytesOf, found, movement, concurrency } = comparison;
  // sort keys describe a page reliably only if the page is from the same tree as they are
  const leaving = movement !== undefined && !found.isScanned && found.trees.length === 1 ? movement[collection].leaving : undefined;
  const leaves = (page: number) => leaving === undefined || leaving[page] === 1;
  const least = Math.min(...found.trees.map((tree) => (collection === 'data' ? tree.data_pages : tree.account_pages)));
  const pages = digests.pages[collection];
  const provesUnlinked = missingProvesUnlinked(comparison);
  const moving: number[] = [];
  const linking: number[] = [];
  const still: number[] = [];
  for (let page = pages; page >= 1; page -= 1) {
    const sends = uploadsOf(comparison, collection, page);
    if (sends.length === 0) continue;
    const reached = pathsOfNext(collection, page, digests);
    const isMissing = sends.some(({ path, reason }) => reached.includes(path) && reason === 'new');
    const isMoving = sends.some(
      ({ path, reason }) => !isLastPath(path) && (reason === 'changed' || reason === 'unknown' || (page === 1 && reason === 'new')),
    );
    if (!isMoving || (isMissing && provesUnlinked && page > least)) still.push(page);
    else if (leaves(page)) moving.push(page);
    // a page that keeps its items can be sent at any time, but a page that will link to new pages only after those
    else (page === least && pages > least ? linking : still).push(page);
  }
  const { overlaps, runs } = orderPages(moving, shiftOf(comparison, collection), concurrency);
  function* uploads(list: readonly number[]): Generator<Step> {
    for (const page of list) yield* uploadsOf(comparison, collection, page);
  }
  function* overlap(page: number): Generator<Step> {
    for (const path of pathsOfNext(collection, page, digests)) {
      if (found.digests.get(path) === undefined) continue;
      yield { action: 'overlap', path, digest: digests.get(path) ?? '', bytes: 2 * bytesOf(path), reason: 'changed' };
    }
  }
  const isInTurn = found.isScanned || moving.length + linking.length > 0;
  const outdated = () => surplus(comparison, collection, 'outdated');
  return {
    stages: [
      () => still.map((page) => uploads([page])),
      () => linking.map((page) => uploads([page])),
      () => overlaps.map(overlap),
      () => runs.map(uploads),
    ],
    deleteStages: [
      // until a compressed file is deleted, its readers see the old page, whose items may differ from those of the new one
      () => (isInTurn ? [outdated()] : lanesOf(outdated())),
      () => lanesOf(surplus(comparison, collection, 'gone')),
    ],
  };
}

/**
 * Whether a missing file of a new page proves that no reader can reach the page: a run that was killed before it wrote all
 * files of its new pages has not linked to any of them. A missing file in an encoding that is new at the target proves nothing.
 */
function missingProvesUnlinked({ found, digests: { encodings } }: Comparison): boolean {
  return found.trees.every(({ compress }) => encodings.every((one) => encodingsIn(compress).includes(one)));
}

/** The order in which the pages of a collection are written whose items change. */
export interface Order {
  /** Written first, in parallel: pages that temporarily show their old items and their new ones. */
  readonly overlaps: readonly number[];
  /** Written after the overlap pages: the runs in parallel, the pages of one run one after another. */
  readonly runs: readonly (readonly number[])[];
}

/** The number of pages that a run must have for each overlap page that it needs, because overlap pages are written twice. */
const PAGES_PER_OVERLAP = 50;

/**
 * Orders pages so that a reader who follows `next` during the publish misses nothing. This also holds if the publish
 * stops halfway. Items move only to later pages, so an item must not leave a page before a later page shows it.
 * Writing one page after another from the highest down ensures this, but is slow. So the pages are divided into runs.
 * At the boundary between two runs, the pages that receive items from the lower run first become overlap pages.
 * Then the runs need not wait for each other.
 * @param moving the pages whose items change, highest first
 * @param shift the most pages that an item moves back
 * @param concurrency the most requests in flight at a time
 */
export function orderPages(moving: readonly number[], shift: number, concurrency: number): Order {
  const isFar = shift > 1 && shift * PAGES_PER_OVERLAP > moving.length;
  // the lowest page receives no items from other pages
  if (isFar && concurrency > 1) return { overlaps: moving.slice(0, -1), runs: moving.map((page) => [page]) };
  const affordable = Math.floor(moving.length / (PAGES_PER_OVERLAP * Math.max(1, shift)));
  const length = Math.ceil(moving.length / Math.max(1, Math.min(concurrency, affordable)));
  const runs: number[][] = [];
  for (let start = 0; start < moving.length; start += length) runs.push(moving.slice(start, start + length));
  const overlaps = runs.flatMap((run, index) => {
    const below = runs[index + 1]?.[0] ?? Number.NEGATIVE_INFINITY;
    return run.filter((page) => page <= below + shift);
  });
  return { overlaps, runs };
}
