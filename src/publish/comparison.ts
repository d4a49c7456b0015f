import type { Collection } from '../contract/collection.ts';
import type { Prices } from '../storage/target.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { Digests } from '../tree/digests.ts';
import { pathOf, slotAt, slotCount, slotsOf, variantSlotsOf } from '../tree/layout.ts';
import type { TreeDigests } from '../tree/manifest.ts';
import type { Movement } from '../tree/movement.ts';
import type { TreeSize } from './state.ts';

/** The digest of an object that is there and is not known to be what this tree would put in its place. */
export const UNKNOWN_DIGEST: string = 'ff'.repeat(32);

/** Why something is done. */
export const REASONS = {
  new: 'not at the target',
  changed: 'other bytes at the target',
  headers: 'same bytes, other headers',
  unknown: 'what is at the target is not known',
  gone: 'no longer in the tree',
} as const;

export type Reason = keyof typeof REASONS;

/** What a plan is made of: what is here, what is there, and what readers and the purse can bear. */
export interface Comparison {
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  readonly sizes: { readonly [C in Collection]: Float64Array };
  readonly found: {
    readonly trees: readonly TreeSize[];
    readonly digests: TreeDigests;
    readonly overlapped: { readonly [C in Collection]: ReadonlySet<number> };
    /** Whether no run's end says what is there. */
    readonly isScanned: boolean;
    /** Whether pages are not what the last run left there. */
    readonly isDamaged: boolean;
    /** Whether a run came to its end with this very tree, and the files beside its pages are as it left them. */
    readonly isCurrent: boolean;
  };
  /** How items move from the pages at the target; undefined where sort keys do not tell. */
  readonly movement: Movement | undefined;
  /** Whether the tree's sort keys are to be sent. */
  readonly sendsSortKeys: boolean;
  /** How many reads it took to learn what is there. */
  readonly reads: number;
  /** Whether pages at the target are answered with other headers than they are to be. */
  readonly hasOtherHeaders: boolean;
  readonly concurrency: number;
  readonly prices: Prices;
}

/** A file that is to be sent, by its slot. */
export interface Change {
  readonly slot: number;
  readonly reason: Reason;
}

/** The files of a page that are to be sent; a collection's own index, where readers begin, comes last. */
export function changesOf({ digests, found, hasOtherHeaders }: Comparison, collection: Collection, page: number): readonly Change[] {
  const wanted = digests[collection];
  const there = found.digests[collection];
  const { pages, encodings } = wanted;
  return [...slotsOf(page, pages), ...encodings.flatMap((_, index) => variantSlotsOf(page, pages, index))]
    .toSorted((a, b) => b - a)
    .flatMap((slot) => {
      const reason = reasonOf(wanted.get(slot), digestAt(there, wanted, slot), hasOtherHeaders);
      return reason === undefined ? [] : [{ slot, reason }];
    });
}

function reasonOf(wanted: string | undefined, there: string | undefined, hasOtherHeaders: boolean): Reason | undefined {
  if (there === undefined) return 'new';
  if (there === UNKNOWN_DIGEST) return 'unknown';
  if (there !== wanted) return 'changed';
  return hasOtherHeaders ? 'headers' : undefined;
}

/** What a target has where this tree has a slot. */
export function digestAt(there: Digests, wanted: Digests, slot: number): string | undefined {
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
export function* surplus({ digests, found }: Comparison, collection: Collection, isMeant: (page: number) => boolean): Generator<string> {
  const wanted = digests[collection];
  const there = found.digests[collection];
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
