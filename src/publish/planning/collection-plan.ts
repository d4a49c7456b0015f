import type { Collection } from '../../contract/collection.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import { isSecondOfLast, pathOf, slotsOfNext } from '../../tree/layout.ts';
import { type Comparison, changesOf, digestAt, surplus } from './comparison.ts';
import { shiftOf } from './movement.ts';
import { orderPages } from './order.ts';
import { lanesOf, type Stages, type Step } from './steps.ts';

/** Plans the writes and deletes of one collection. */
export function planCollection(comparison: Comparison, collection: Collection): Stages {
  const { build, digests, sizes, found, movement, concurrency } = comparison;
  const known = { build, trees: found.trees, movement, isDamaged: found.isDamaged };
  // sort keys describe a page reliably only if the page is from the same tree as they are
  const leaving = movement !== undefined && !found.isScanned && found.trees.length === 1 ? movement[collection].leaving : undefined;
  const leaves = (page: number) => leaving === undefined || leaving[page] === 1;
  const least = Math.min(...found.trees.map((tree) => (collection === 'data' ? tree.data_pages : tree.account_pages)));
  const wanted = digests[collection];
  const there = found.digests[collection];
  const { pages } = wanted;
  const provesUnlinked = missingProvesUnlinked(comparison, collection);
  const moving: number[] = [];
  const linking: number[] = [];
  const still: number[] = [];
  for (let page = pages; page >= 1; page -= 1) {
    const sends = changesOf(comparison, collection, page);
    if (sends.length === 0) continue;
    const reached = slotsOfNext(page, wanted);
    const isMissing = sends.some(({ slot, reason }) => reached.includes(slot) && reason === 'new');
    const isMoving = sends.some(
      ({ slot, reason }) =>
        !isSecondOfLast(slot, pages) && (reason === 'changed' || reason === 'unknown' || (page === 1 && reason === 'new')),
    );
    if (!isMoving || (isMissing && provesUnlinked && page > least)) still.push(page);
    else if (leaves(page)) moving.push(page);
    // a page that keeps its items can be sent at any time, but a page that will link to new pages only after those
    else (page === least && pages > least ? linking : still).push(page);
  }
  const { first, overlaps, runs } = orderPages(moving, still, shiftOf(known, collection), concurrency);
  const line = (slot: number) => ({ path: pathOf(collection, slot, pages, wanted.encodings), digest: wanted.get(slot) ?? '' });
  const bytes = (slot: number) => sizes[collection][slot] ?? 0;
  function* uploads(list: readonly number[]): Generator<Step> {
    for (const page of list) {
      for (const { slot, reason } of changesOf(comparison, collection, page)) {
        yield { action: 'upload', ...line(slot), bytes: bytes(slot), reason };
      }
    }
  }
  function* overlap(page: number): Generator<Step> {
    for (const slot of slotsOfNext(page, wanted)) {
      if (digestAt(there, wanted, slot) === undefined) continue;
      yield { action: 'overlap', ...line(slot), bytes: 2 * bytes(slot), reason: 'changed', page: { collection, ...line(page) } };
    }
  }
  const isInTurn = found.isScanned || moving.length + linking.length > 0;
  const outdated = () => surplus(comparison, collection, 'outdated');
  return {
    stages: [
      () => first.map((page) => uploads([page])),
      () => linking.map((page) => uploads([page])),
      () => overlaps.filter((page) => !found.overlapped[collection].has(page)).map(overlap),
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
function missingProvesUnlinked({ found, digests }: Comparison, collection: Collection): boolean {
  const { encodings } = digests[collection];
  return found.trees.every(({ compress }) => encodings.every((one) => encodingsIn(compress).includes(one)));
}
