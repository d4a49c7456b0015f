import type { Collection } from '../contract/collection.ts';
import { type Encoding, SUFFIXES } from './encoding.ts';

/**
 * Returns how many files a collection has.
 *
 * Every page is at `rest/{collection}/page/{number}/index.json`. The first page is also `rest/{collection}/index.json`,
 * and the last page is also `page/last/index.json`. So the simplest rewrite rule (`page=:n` to `page/:n/`) is right.
 * The files of a collection are numbered by slots: slot 0 is `rest/{collection}/index.json`, slots 1 to `pages` are the
 * pages, slot `pages + 1` is the second file of the last page. Compressed copies follow: as many slots again for each
 * encoding, in the same order.
 */
export function slotCount(pages: number, encodings: readonly Encoding[] = []): number {
  return (pages + 2) * (1 + encodings.length);
}

/** Returns the slots of the files with a page: one to three. */
export function slotsOf(page: number, pages: number): number[] {
  const slots = [page];
  if (page === 1) slots.push(0);
  if (page === pages) slots.push(pages + 1);
  return slots;
}

/**
 * Returns the slots of the compressed copies of a page.
 * @param encoding the index of the encoding, 0 for the first
 */
export function variantSlotsOf(page: number, pages: number, encoding: number): number[] {
  return slotsOf(page, pages).map((slot) => slot + (1 + encoding) * slotCount(pages));
}

/** Returns the path of a slot's file, relative to the tree, with slashes. */
export function pathOf(collection: Collection, slot: number, pages: number, encodings: readonly Encoding[] = []): string {
  const variant = encodings[Math.floor(slot / slotCount(pages)) - 1];
  if (variant !== undefined) return pathOf(collection, slot % slotCount(pages), pages) + SUFFIXES[variant];
  const folder = collectionFolder(collection);
  if (slot === 0) return `${folder}/index.json`;
  return `${pagesFolder(collection)}/${slot > pages ? 'last' : slot}/index.json`;
}

/** Returns the slot of a path; undefined if this layout has no such file. */
export function slotAt(collection: Collection, path: string, pages: number, encodings: readonly Encoding[] = []): number | undefined {
  const variant = encodings.findIndex((encoding) => path.endsWith(SUFFIXES[encoding]));
  const slot = plainSlotAt(collection, variant === -1 ? path : path.slice(0, path.lastIndexOf('.')), pages);
  return slot === undefined ? undefined : slot + (variant + 1) * slotCount(pages);
}

function plainSlotAt(collection: Collection, path: string, pages: number): number | undefined {
  if (path === `${collectionFolder(collection)}/index.json`) return 0;
  const prefix = `${pagesFolder(collection)}/`;
  if (!path.startsWith(prefix) || !path.endsWith('/index.json')) return undefined;
  const name = path.slice(prefix.length, -'/index.json'.length);
  if (name === 'last') return pages + 1;
  return isPageName(name) && Number(name) <= pages ? Number(name) : undefined;
}

/** Whether a folder name is a page number. */
export function isPageName(name: string): boolean {
  return /^[1-9]\d{0,14}$/.test(name);
}

export function collectionFolder(collection: Collection): string {
  return `rest/${collection}`;
}

/** The folder of the numbered pages. */
export function pagesFolder(collection: Collection): string {
  return `rest/${collection}/page`;
}
