import { COLLECTIONS } from '../contract/collection.ts';
import type { Digests } from '../tree/digests.ts';
import { slotCount } from '../tree/layout.ts';
import { type CollectionPlans, planCollection } from './collection-plan.ts';
import type { Comparison } from './comparison.ts';
import { gapsOf } from './movement.ts';
import { stepsOf } from './steps.ts';

/** Requests by what they do. */
export interface Requests {
  readonly all: number;
  readonly writes: number;
  readonly reads: number;
  readonly deletes: number;
}

export interface Plan {
  readonly collections: CollectionPlans;
  readonly uploads: number;
  readonly overlaps: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** Files that the target has. */
  readonly atTarget: number;
  /** Bytes of the uploads and overlaps, before compression; of overlaps at most. */
  readonly bytes: number;
  /** What a run asks of the store from its beginning to its end, without what keeps its lock alive. */
  readonly requests: Requests;
  /** Whether there is nothing to do. */
  readonly isIdle: boolean;
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
  const totals = { uploads: 0, overlaps: 0, deletes: 0, bytes: 0 };
  for (const { action, bytes } of stepsOf(comparison, { data, account })) {
    totals[`${action}s`] += 1;
    totals.bytes += bytes;
  }
  const files = COLLECTIONS.reduce(
    (sum, collection) => sum + slotCount(comparison.digests[collection].pages, comparison.digests[collection].encodings),
    0,
  );
  const { found, movement, prices, build } = comparison;
  const isIdle = totals.uploads + totals.deletes === 0 && found.isCurrent;
  const writes = isIdle ? 0 : totals.uploads + totals.overlaps + CLOSING_WRITES + Number(comparison.sendsSortKeys);
  const collections = { data, account };
  const overlapped = COLLECTIONS.reduce(
    (sum, name) => sum + collections[name].order.overlaps.length * (1 + comparison.digests[name].encodings.length),
    0,
  );
  const reads = comparison.reads + (isIdle ? 0 : overlapped);
  return {
    collections,
    ...totals,
    unchanged: files - totals.uploads,
    atTarget: COLLECTIONS.reduce((sum, collection) => sum + filesIn(found.digests[collection]), 0),
    requests: { all: writes + reads + totals.deletes, writes, reads, deletes: totals.deletes },
    isIdle,
    cost: writes * prices.write + reads * prices.read,
    gaps: gapsOf({ build, trees: found.trees, movement, isDamaged: found.isDamaged }),
  };
}

function filesIn(digests: Digests): number {
  let files = 0;
  for (let slot = 0; slot < slotCount(digests.pages, digests.encodings); slot += 1) if (digests.get(slot) !== undefined) files += 1;
  return files;
}
