import type { Collection } from '../../contract/collection.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import { isSecondOfLast, slotsOfNext } from '../../tree/layout.ts';
import { type Change, type Comparison, changesOf, digestAt, surplus } from './comparison.ts';
import { shiftOf } from './movement.ts';
import { type Order, orderPages } from './order.ts';

/** The uploads, overlap pages and deletes of one collection. */
export interface CollectionPlan {
  readonly collection: Collection;
  readonly order: Order;
  /** The slots of a page in `order.overlaps` that get an overlap page, because items leave that page. */
  readonly overlapSlots: (page: number) => readonly number[];
  /** The slots of a page whose files must be sent, each with its reason. */
  readonly slotsToSend: (page: number) => readonly Change[];
  /**
   * The paths of compressed files that the tree no longer has although their pages stay, highest page first.
   * Until such a file is deleted, its readers see the old page.
   */
  readonly outdated: () => Iterable<string>;
  /** Whether the outdated files are deleted one after another, because their items may differ from those of their pages. */
  readonly isOutdatedInTurn: boolean;
  /** The paths of the pages that the tree no longer has, highest first. They are deleted after the outdated files. */
  readonly gone: () => Iterable<string>;
}

export type CollectionPlans = { readonly [C in Collection]: CollectionPlan };

export function planCollection(comparison: Comparison, collection: Collection): CollectionPlan {
  const { build, digests, found, movement, concurrency } = comparison;
  const known = { build, trees: found.trees, movement, isDamaged: found.isDamaged };
  // sort keys describe a page reliably only if the page is from the same tree as they are
  const leaving = movement !== undefined && !found.isScanned && found.trees.length === 1 ? movement[collection].leaving : undefined;
  const leaves = (page: number) => leaving === undefined || leaving[page] === 1;
  const last = Math.min(...found.trees.map((tree) => (collection === 'data' ? tree.data_pages : tree.account_pages)));
  const { pages } = digests[collection];
  const slotsToSend = (page: number) => changesOf(comparison, collection, page);
  const isUnlinked = unlinked(comparison, collection);
  const moving: number[] = [];
  const still: number[] = [];
  for (let page = pages; page >= 1; page -= 1) {
    const sends = slotsToSend(page);
    if (sends.length === 0) continue;
    const reached = slotsOfNext(page, digests[collection]);
    const isMissing = sends.some(({ slot, reason }) => reached.includes(slot) && reason === 'new');
    const isMoving = sends.some(
      ({ slot, reason }) =>
        !isSecondOfLast(slot, pages) && (reason === 'changed' || reason === 'unknown' || (page === 1 && reason === 'new')),
    );
    // a page that keeps its items can be sent at any time, but a page that will link to new pages only after those
    const isLinking = page === last && pages > last;
    const isMovable = leaves(page) || isLinking;
    (isMoving && isMovable && !(isMissing && isUnlinked(page)) ? moving : still).push(page);
  }
  const order = orderPages(moving, still, shiftOf(known, collection), concurrency);
  const overlapped = found.overlapped[collection];
  return {
    collection,
    order: { ...order, overlaps: order.overlaps.filter((page) => !overlapped.has(page)) },
    overlapSlots: (page) =>
      leaves(page)
        ? slotsOfNext(page, digests[collection]).filter(
            (slot) => digestAt(found.digests[collection], digests[collection], slot) !== undefined,
          )
        : [],
    slotsToSend,
    isOutdatedInTurn: found.isScanned || moving.length > 0,
    outdated: () => surplus(comparison, collection, 'outdated'),
    gone: () => surplus(comparison, collection, 'gone'),
  };
}

/**
 * Returns a test for pages with a missing file: true if no reader can reach the page. A run that was killed before
 * it wrote all files of its new pages has not linked to any of them. A missing file in an encoding that is new at
 * the target proves nothing.
 */
function unlinked({ found, digests }: Comparison, collection: Collection): (page: number) => boolean {
  const { encodings } = digests[collection];
  const knowsAll = found.trees.every(({ compress }) => encodings.every((one) => encodingsIn(compress).includes(one)));
  const least = Math.min(...found.trees.map((tree) => (collection === 'data' ? tree.data_pages : tree.account_pages)));
  return (page) => knowsAll && page > least;
}
