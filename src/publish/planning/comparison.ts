import type { Collection } from '../../contract/collection.ts';
import type { Prices } from '../../storage/target.ts';
import type { BuildRecord } from '../../tree/build-record.ts';
import type { Digests } from '../../tree/digests.ts';
import { pathOf, slotAt, slotCount, slotsOf, variantSlotsOf } from '../../tree/layout.ts';
import type { TreeDigests } from '../../tree/manifest.ts';
import type { Movement } from '../../tree/movement.ts';
import type { TreeSize } from '../state/state.ts';

/** The digest of an object that exists but whose content is not known. */
export const UNKNOWN_DIGEST: string = 'ff'.repeat(32);

/** Why a step of the plan is needed. */
export const REASONS = {
  new: 'not at the target',
  changed: 'other bytes at the target',
  headers: 'same bytes, other headers',
  unknown: 'unknown content at the target',
  gone: 'no longer in the tree',
} as const;

export type Reason = keyof typeof REASONS;

/** The input of a plan: the tree, the content of the target, how items move, and prices. */
export interface Comparison {
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  readonly sizes: { readonly [C in Collection]: Float64Array };
  readonly found: {
    readonly trees: readonly TreeSize[];
    readonly digests: TreeDigests;
    readonly overlapped: { readonly [C in Collection]: ReadonlySet<number> };
    /** Whether the pages were requested one by one, because no completed run describes them, or to repair them. */
    readonly isScanned: boolean;
    /** Whether pages differ from those that the last run wrote. */
    readonly isDamaged: boolean;
    /** Whether a run published this very tree completely, and the files beside its pages are unchanged since. */
    readonly isCurrent: boolean;
  };
  /** How items move from the pages at the target; undefined if no usable sort keys exist. */
  readonly movement: Movement | undefined;
  /** Whether the tree's sort keys must be sent. */
  readonly sendsSortKeys: boolean;
  /** The number of read requests made so far. */
  readonly reads: number;
  /** Whether the pages at the target have other headers than this run would set. */
  readonly hasOtherHeaders: boolean;
  readonly concurrency: number;
  readonly prices: Prices;
}

/** A file that must be sent, identified by its slot. */
export interface Change {
  readonly slot: number;
  readonly reason: Reason;
}

/** Returns the files of a page that must be sent. The collection's index, the entry point of readers, comes last. */
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

/** Returns the digest at the target for a slot of this tree; undefined if the target has no such file. */
export function digestAt(there: Digests, wanted: Digests, slot: number): string | undefined {
  const plain = slot % slotCount(wanted.pages);
  const encoding = wanted.encodings[Math.floor(slot / slotCount(wanted.pages)) - 1];
  const variant = encoding === undefined ? 0 : there.encodings.indexOf(encoding) + 1;
  if (encoding !== undefined && variant === 0) return undefined;
  if (plain > there.pages && plain <= wanted.pages) return undefined;
  return there.get(variant * slotCount(there.pages) + (plain > wanted.pages ? there.pages + 1 : plain));
}

/**
 * Yields the paths of files at a target that the tree does not have, for the selected pages, highest page first.
 * They are files of removed pages and variants in encodings that the tree was not built with. The second file of
 * the last page counts as a file of a page that stays.
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
