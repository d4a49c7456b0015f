import type { Collection } from '../contract/collection.ts';
import type { Interval } from './intervals.ts';
import type { SavedPage } from './source.ts';

export interface ItemPositions extends Interval {
  /** How many items a full page has. */
  readonly size: number;
}

/**
 * Returns the positions of the items on a page, counted from the end of the collection that does not grow: of the feed
 * from the oldest record, of the accounts from the first. Returns undefined if the page contradicts its `count`.
 */
export function itemPositions(collection: Collection, page: Omit<SavedPage, 'collection'>, number: number): ItemPositions | undefined {
  const { count, next, items } = page;
  const size = next === null ? (count - items) / (number - 1) : items;
  const before = (number - 1) * size;
  if (!Number.isInteger(size) || size < 1 || items > size || before + items > count) return undefined;
  if (collection === 'account') return { size, from: before + 1, to: before + items };
  return { size, from: count - before - items + 1, to: count - before };
}
