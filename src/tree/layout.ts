import type { Collection } from '../contract/collection.ts';
import { type Encoding, SUFFIXES } from './compression.ts';

/**
 * Which files a tree has. Every page is at `rest/{collection}/page/{number}/index.json`; the first is
 * also the collection's own `index.json` and the last also `page/last/index.json`, so that the simplest
 * rewrite rule (`page=:n` to `page/:n/`) is right. A collection's files are numbered by slots: 0 is its
 * own index, 1 to `pages` its pages, `pages + 1` the last page's second file. Where files are there compressed
 * as well, as many slots again follow for each encoding, in the same order.
 */
export function slotCount(pages: number, encodings: readonly Encoding[] = []): number {
  return (pages + 2) * (1 + encodings.length);
}

/** The slots of the files that hold a page: one to three. */
export function slotsOf(page: number, pages: number): number[] {
  const slots = [page];
  if (page === 1) slots.push(0);
  if (page === pages) slots.push(pages + 1);
  return slots;
}

/** The slots of the files that hold a page in the encoding of that number, 0 for the first. */
export function variantSlotsOf(page: number, pages: number, encoding: number): number[] {
  return slotsOf(page, pages).map((slot) => slot + (1 + encoding) * slotCount(pages));
}

/** The file of a slot, relative to the tree, with slashes. */
export function pathOf(collection: Collection, slot: number, pages: number, encodings: readonly Encoding[] = []): string {
  const variant = encodings[Math.floor(slot / slotCount(pages)) - 1];
  if (variant !== undefined) return pathOf(collection, slot % slotCount(pages), pages) + SUFFIXES[variant];
  const folder = collectionFolder(collection);
  if (slot === 0) return `${folder}/index.json`;
  return `${pagesFolder(collection)}/${slot > pages ? 'last' : slot}/index.json`;
}

/** The slot of a path; undefined where this layout has no such file. */
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

/** Whether a folder's name is that of a numbered page. */
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
