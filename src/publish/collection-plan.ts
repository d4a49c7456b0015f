import type { Collection } from '../contract/collection.ts';
import type { Digests } from '../tree/digests.ts';
import { encodingsIn } from '../tree/encoding.ts';
import { slotCount } from '../tree/layout.ts';
import { type Change, type Comparison, changesOf, digestAt, surplus } from './comparison.ts';
import { shiftOf } from './movement.ts';
import { type Order, orderPages } from './order.ts';

/** What is done at a target about one collection. */
export interface CollectionPlan {
  readonly collection: Collection;
  readonly order: Order;
  /** The files of a page among the order's overlaps that are written as one: with items that leave the page. */
  readonly overlapSlots: (page: number) => readonly number[];
  /** The slots of a page whose files are to be sent, each with its reason. */
  readonly slotsToSend: (page: number) => readonly Change[];
  /**
   * The paths of compressed files whose pages stay without them, the highest page's first. As long as one is there
   * its readers see what the page was.
   */
  readonly outdated: () => Iterable<string>;
  /** Whether each of the outdated has to wait for the one before: they may show other items than their pages. */
  readonly isOutdatedInTurn: boolean;
  /** The paths of the pages that are gone, the highest first, when the outdated ones are. */
  readonly gone: () => Iterable<string>;
}

export type CollectionPlans = { readonly [C in Collection]: CollectionPlan };

export function planCollection(comparison: Comparison, collection: Collection): CollectionPlan {
  const { build, digests, found, movement, concurrency } = comparison;
  const known = { build, trees: found.trees, movement, isDamaged: found.isDamaged };
  // what sort keys say of a page is sure only where the page is that of their tree
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
    const isMissing = sends.some(({ slot, reason }) => slot % slotCount(pages) === page && reason === 'new');
    const isMoving = sends.some(
      ({ slot, reason }) =>
        slot % slotCount(pages) <= pages && (reason === 'changed' || reason === 'unknown' || (page === 1 && reason === 'new')),
    );
    // a page that keeps its items can be sent at any time, but one that comes to link to new pages only after them
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
        ? overlapSlots(digests[collection], page).filter(
            (slot) => digestAt(found.digests[collection], digests[collection], slot) !== undefined,
          )
        : [],
    slotsToSend,
    isOutdatedInTurn: found.isScanned || moving.length > 0,
    outdated: () => surplus(comparison, collection, (page) => page <= pages),
    gone: () => surplus(comparison, collection, (page) => page > pages),
  };
}

/**
 * Tells of a page of which a file is missing whether no reader can come to it: a run that was killed before all
 * files of its new pages were there had linked to none of them yet. Of files in an encoding that is new at the
 * target nothing is known by their missing.
 */
function unlinked({ found, digests }: Comparison, collection: Collection): (page: number) => boolean {
  const { encodings } = digests[collection];
  const knowsAll = found.trees.every(({ compress }) => encodings.every((one) => encodingsIn(compress).includes(one)));
  const least = Math.min(...found.trees.map((tree) => (collection === 'data' ? tree.data_pages : tree.account_pages)));
  return (page) => knowsAll && page > least;
}

/** The files of a page that readers come to by `next`: itself, and itself compressed. */
export function overlapSlots({ pages, encodings }: Digests, page: number): number[] {
  return [0, ...encodings.map((_, index) => index + 1)].map((variant) => page + variant * slotCount(pages));
}
