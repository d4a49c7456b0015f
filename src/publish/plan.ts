import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { Digests } from '../tree/digests.ts';
import { encodingsIn } from '../tree/encoding.ts';
import { pathOf, slotAt, slotCount, slotsOf, variantSlotsOf } from '../tree/layout.ts';
import type { TreeDigests } from '../tree/manifest.ts';
import { type Order, orderPages } from './order.ts';
import type { TreeSize } from './state.ts';
import type { Prices } from './target.ts';

/** The digest of an object that is there and is not known to be what this tree would put in its place. */
export const OTHER: string = 'ff'.repeat(32);

/** Why something is done. */
export const REASONS = {
  new: 'not at the target',
  changed: 'other bytes at the target',
  headers: 'same bytes, other headers',
  unknown: 'what is at the target is not known',
  gone: 'no longer in the tree',
} as const;

export type Reason = keyof typeof REASONS;

/** What the plan is made of: what is here, what is there, and what readers and the purse can bear. */
export interface Comparison {
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  readonly sizes: { readonly [C in Collection]: Float64Array };
  readonly found: {
    readonly trees: readonly TreeSize[];
    readonly digests: TreeDigests;
    readonly bridged: { readonly [C in Collection]: ReadonlySet<number> };
    /** Whether no run's end says what is there. */
    readonly isAsked: boolean;
  };
  /** Whether pages at the target are answered with other headers than they are to be. */
  readonly hasOtherHeaders: boolean;
  readonly concurrency: number;
  readonly prices: Prices;
}

/** One upload or delete. */
export interface Step {
  readonly action: 'bridge' | 'upload' | 'delete';
  readonly path: string;
  readonly bytes: number;
  readonly reason: Reason;
}

export interface CollectionPlan {
  readonly collection: Collection;
  readonly order: Order;
  /** The slots of a page whose files are to be sent, each with its reason. */
  readonly slotsToSend: (page: number) => readonly { readonly slot: number; readonly reason: Reason }[];
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

export interface Plan {
  readonly collections: { readonly [C in Collection]: CollectionPlan };
  readonly uploads: number;
  readonly bridges: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** Files that the target has. */
  readonly atTarget: number;
  /** Bytes of the uploads and bridges, before compression; of bridges at most. */
  readonly bytes: number;
  /** All requests from here on, without what keeps the lock alive. */
  readonly requests: number;
  /** US dollars at list price for these requests. */
  readonly cost: number;
  /** Why no order can keep readers from missing something; none where one can. */
  readonly gaps: readonly string[];
}

/** The build record, the manifest, and the state at the beginning and at the end. */
const CLOSING_WRITES = 4;

/** Compares a tree with what is at a target. Pure. */
export function planPublish(comparison: Comparison): Plan {
  const data = planCollection(comparison, 'data');
  const account = planCollection(comparison, 'account');
  const totals = { uploads: 0, bridges: 0, deletes: 0, bytes: 0 };
  for (const { action, bytes } of stepsOf(comparison, { data, account })) {
    totals[`${action}s`] += 1;
    totals.bytes += bytes;
  }
  const files = COLLECTIONS.reduce(
    (sum, collection) => sum + slotCount(comparison.digests[collection].pages, comparison.digests[collection].encodings),
    0,
  );
  const isIdle = totals.uploads + totals.deletes === 0;
  const writes = isIdle ? 0 : totals.uploads + totals.bridges + CLOSING_WRITES;
  return {
    collections: { data, account },
    ...totals,
    unchanged: files - totals.uploads,
    atTarget: COLLECTIONS.reduce((sum, collection) => sum + filesIn(comparison.found.digests[collection]), 0),
    requests: writes + totals.bridges + totals.deletes,
    cost: writes * comparison.prices.write + totals.bridges * comparison.prices.read,
    gaps: gapsOf(comparison),
  };
}

/** Every step in its order; those of a phase are carried out at once. */
export function* stepsOf({ digests, sizes }: Comparison, collections: Plan['collections']): Generator<Step> {
  for (const { collection, order, slotsToSend } of COLLECTIONS.map((name) => collections[name])) {
    const { pages, encodings } = digests[collection];
    const uploads = function* (list: readonly number[]): Generator<Step> {
      for (const page of list) {
        for (const { slot, reason } of slotsToSend(page)) {
          yield { action: 'upload', path: pathOf(collection, slot, pages, encodings), bytes: sizes[collection][slot] ?? 0, reason };
        }
      }
    };
    yield* uploads(order.first);
    for (const page of order.bridges) {
      for (const slot of bridgeSlots(digests[collection], page)) {
        const path = pathOf(collection, slot, pages, encodings);
        yield { action: 'bridge', path, bytes: 2 * (sizes[collection][slot] ?? 0), reason: 'changed' };
      }
    }
    for (const run of order.runs) yield* uploads(run);
  }
  for (const { outdated, gone } of COLLECTIONS.map((name) => collections[name])) {
    for (const path of outdated()) yield { action: 'delete', path, bytes: 0, reason: 'gone' };
    for (const path of gone()) yield { action: 'delete', path, bytes: 0, reason: 'gone' };
  }
}

/** The files of a page that readers come to by `next`: itself, and itself compressed. */
export function bridgeSlots({ pages, encodings }: Digests, page: number): number[] {
  return [0, ...encodings.map((_, index) => index + 1)].map((variant) => page + variant * slotCount(pages));
}

function planCollection(comparison: Comparison, collection: Collection): CollectionPlan {
  const wanted = comparison.digests[collection];
  const there = comparison.found.digests[collection];
  const { pages, encodings } = wanted;
  const slotsToSend: CollectionPlan['slotsToSend'] = (page) =>
    [...slotsOf(page, pages), ...encodings.flatMap((_, index) => variantSlotsOf(page, pages, index))]
      .toSorted((a, b) => b - a) // a collection's own index, where readers begin, comes last
      .flatMap((slot) => {
        const reason = reasonOf(wanted.get(slot), digestAt(there, wanted, slot), comparison.hasOtherHeaders);
        return reason === undefined ? [] : [{ slot, reason }];
      });
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
    (isMoving && !(isMissing && isUnlinked(page)) ? moving : still).push(page);
  }
  const order = orderPages(moving, still, shiftOf(comparison, collection), comparison.concurrency);
  const bridged = comparison.found.bridged[collection];
  return {
    collection,
    order: { ...order, bridges: order.bridges.filter((page) => !bridged.has(page)) },
    slotsToSend,
    isOutdatedInTurn: comparison.found.isAsked || moving.length > 0,
    outdated: () => surplus(collection, wanted, there, (page) => page <= pages),
    gone: () => surplus(collection, wanted, there, (page) => page > pages),
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

function reasonOf(wanted: string | undefined, there: string | undefined, hasOtherHeaders: boolean): Reason | undefined {
  if (there === undefined) return 'new';
  if (there === OTHER) return 'unknown';
  if (there !== wanted) return 'changed';
  return hasOtherHeaders ? 'headers' : undefined;
}

/** What a target has where this tree has a slot. */
function digestAt(there: Digests, wanted: Digests, slot: number): string | undefined {
  const plain = slot % slotCount(wanted.pages);
  const encoding = wanted.encodings[Math.floor(slot / slotCount(wanted.pages)) - 1];
  const variant = encoding === undefined ? 0 : there.encodings.indexOf(encoding) + 1;
  if (encoding !== undefined && variant === 0) return undefined;
  if (plain > there.pages && plain <= wanted.pages) return undefined;
  return there.get(variant * slotCount(there.pages) + (plain > wanted.pages ? there.pages + 1 : plain));
}

/**
 * Files of some pages at a target that the tree does not have, page by page from the highest: those of pages, and
 * variants in encodings that it was not built with. The last page's second file counts as one of a page that stays.
 */
function* surplus(collection: Collection, wanted: Digests, there: Digests, isMeant: (page: number) => boolean): Generator<string> {
  for (let plain = there.pages + 1; plain >= 0; plain -= 1) {
    if (!isMeant(plain > there.pages ? wanted.pages : plain)) continue;
    for (let variant = there.encodings.length; variant >= 0; variant -= 1) {
      const slot = plain + variant * slotCount(there.pages);
      if (there.get(slot) === undefined) continue;
      const path = pathOf(collection, slot, there.pages, there.encodings);
      if (slotAt(collection, path, wanted.pages, wanted.encodings) === undefined) yield path;
    }
  }
}

/**
 * How many pages later an item may come to stand at most. New records push old ones by as many as there are.
 * An account is pushed by new accounts, and by those that came to stand before it with their first record.
 */
function shiftOf({ build, found }: Comparison, collection: Collection): number {
  let most = 1;
  for (const tree of found.trees) {
    const isFeed = collection === 'data';
    if (isFeed ? tree.page_size !== build.page_size : tree.account_page_size !== build.account_page_size) return Number.POSITIVE_INFINITY;
    const records = build.records - tree.records;
    const items = isFeed ? records : records + build.accounts - tree.accounts;
    most = Math.max(most, Math.ceil(items / (isFeed ? build.page_size : build.account_page_size)));
  }
  return most;
}

function gapsOf({ build, found }: Comparison): string[] {
  const gaps = new Set<string>();
  for (const tree of found.trees) {
    if (build.records < tree.records) gaps.add(`${tree.records - build.records} fewer records, so that others move to earlier pages`);
    if (build.accounts < tree.accounts) gaps.add(`${tree.accounts - build.accounts} fewer accounts, so that others move to earlier pages`);
    if (build.page_size > tree.page_size) gaps.add(`pages hold ${build.page_size} records instead of ${tree.page_size}`);
    if (build.account_page_size > tree.account_page_size) {
      gaps.add(`pages hold ${build.account_page_size} accounts instead of ${tree.account_page_size}`);
    }
  }
  return [...gaps];
}

function filesIn(digests: Digests): number {
  let files = 0;
  for (let slot = 0; slot < slotCount(digests.pages, digests.encodings); slot += 1) if (digests.get(slot) !== undefined) files += 1;
  return files;
}
