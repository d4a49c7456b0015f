import { COLLECTIONS } from '../../contract/collection.ts';
import { pathOf } from '../../tree/layout.ts';
import type { BrowsePlan } from './browse-plan.ts';
import type { CollectionPlans } from './collection-plan.ts';
import type { Comparison, Reason } from './comparison.ts';

/** One upload or delete. */
export interface Step {
  readonly action: 'overlap' | 'upload' | 'delete';
  readonly path: string;
  readonly bytes: number;
  readonly reason: Reason;
}

/** Yields all steps in order. The steps of one phase run in parallel. */
export function* stepsOf({ digests, sizes }: Comparison, collections: CollectionPlans, browse: BrowsePlan): Generator<Step> {
  for (const { collection, order, overlapSlots, slotsToSend } of COLLECTIONS.map((name) => collections[name])) {
    const { pages, encodings } = digests[collection];
    const uploads = function* (list: readonly number[]): Generator<Step> {
      for (const page of list) {
        for (const { slot, reason } of slotsToSend(page)) {
          yield { action: 'upload', path: pathOf(collection, slot, pages, encodings), bytes: sizes[collection][slot] ?? 0, reason };
        }
      }
    };
    yield* uploads(order.first);
    for (const page of order.overlaps) {
      for (const slot of overlapSlots(page)) {
        const path = pathOf(collection, slot, pages, encodings);
        yield { action: 'overlap', path, bytes: 2 * (sizes[collection][slot] ?? 0), reason: 'changed' };
      }
    }
    for (const run of order.runs) yield* uploads(run);
  }
  for (const uploads of [browse.uploads, browse.home]) {
    for (const { path, bytes, reason } of uploads()) yield { action: 'upload', path, bytes, reason };
  }
  for (const { outdated, gone } of COLLECTIONS.map((name) => collections[name])) {
    for (const path of outdated()) yield { action: 'delete', path, bytes: 0, reason: 'gone' };
    for (const path of gone()) yield { action: 'delete', path, bytes: 0, reason: 'gone' };
  }
  for (const path of browse.gone()) yield { action: 'delete', path, bytes: 0, reason: 'gone' };
}
