import { COLLECTIONS } from '../contract/collection.ts';
import type { Digests } from '../tree/digests.ts';
import { pathOf, slotCount } from '../tree/layout.ts';
import type { CollectionPlans } from './collection-plan.ts';
import type { Comparison, Reason } from './comparison.ts';

/** One upload or delete. */
export interface Step {
  readonly action: 'bridge' | 'upload' | 'delete';
  readonly path: string;
  readonly bytes: number;
  readonly reason: Reason;
}

/** Every step in its order; those of a phase are carried out at once. */
export function* stepsOf({ digests, sizes }: Comparison, collections: CollectionPlans): Generator<Step> {
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
