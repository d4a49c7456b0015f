import { COLLECTIONS } from '../contract/collection.ts';
import type { Digests } from '../tree/digests.ts';
import { slotCount } from '../tree/layout.ts';
import { type CollectionPlans, planCollection } from './collection-plan.ts';
import type { Comparison } from './comparison.ts';
import { gapsOf } from './movement.ts';
import { stepsOf } from './steps.ts';

export interface Plan {
  readonly collections: CollectionPlans;
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
    gaps: gapsOf(comparison.build, comparison.found.trees),
  };
}

function filesIn(digests: Digests): number {
  let files = 0;
  for (let slot = 0; slot < slotCount(digests.pages, digests.encodings); slot += 1) if (digests.get(slot) !== undefined) files += 1;
  return files;
}
