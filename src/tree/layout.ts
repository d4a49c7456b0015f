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

/** What determines the slots of a collection: the number of pages, and the encodings of their compressed copies. */
export interface CollectionLayout {
  readonly pages: number;
  readonly encodings: readonly Encoding[];
}

/** Returns the slots of the uncompressed files with a page: one to three. */
export function slotsOf(page: number, pages: number): number[] {
  const slots = [page];
  if (page === 1) slots.push(0);
  if (page === pages) slots.push(secondOfLast(pages));
  return slots;
}

/**
 * Returns the slots of the compressed copies of a page.
 * @param encoding the index of the encoding, 0 for the first
 */
export function variantSlotsOf(page: number, pages: number, encoding: number): number[] {
  return slotsOf(page, pages).map((slot) => copyIn(slot, pages, encoding));
}

/**
 * Returns the slots of all files with a page, in the order in which a build moves them and a publish sends them: the
 * second file of the last page, the numbered page, the collection's index. The compressed copies of a file come before
 * it. Readers begin at the index. So whoever sees the new index, in any encoding, finds every other file new.
 */
export function slotsInWriteOrder(page: number, { pages, encodings }: CollectionLayout): number[] {
  const plain = slotsOf(page, pages).sort((a, b) => b - a);
  return plain.flatMap((slot) => [...encodings.map((_, index) => copyIn(slot, pages, index)).reverse(), slot]);
}

/** Returns the slots of the files that `next` links lead to: the numbered page, and its compressed copies. */
export function slotsOfNext(page: number, { pages, encodings }: CollectionLayout): number[] {
  return [page, ...encodings.map((_, index) => copyIn(page, pages, index))];
}

/** @param encoding the index of the encoding, 0 for the first; -1 for the uncompressed file */
function copyIn(slot: number, pages: number, encoding: number): number {
  return slot + (1 + encoding) * slotCount(pages);
}

/** Returns the slot of the uncompressed file of a slot. */
export function plainSlotOf(slot: number, pages: number): number {
  return slot % slotCount(pages);
}

/** Returns the encoding of a slot's file; undefined if the file is not compressed. */
export function encodingOf(slot: number, pages: number, encodings: readonly Encoding[]): Encoding | undefined {
  return encodings[Math.floor(slot / slotCount(pages)) - 1];
}

/** Returns the slot of the second file of the last page. */
export function secondOfLast(pages: number): number {
  return pages + 1;
}

/** Whether a slot's file is the second file of the last page, or a compressed copy of it. */
export function isSecondOfLast(slot: number, pages: number): boolean {
  return plainSlotOf(slot, pages) === secondOfLast(pages);
}

/**
 * Returns the slot at which another layout has the file with the same path.
 * @returns undefined if the other layout has no such file
 */
export function slotIn(other: CollectionLayout, slot: number, { pages, encodings }: CollectionLayout): number | undefined {
  const encoding = encodingOf(slot, pages, encodings);
  const index = encoding === undefined ? -1 : other.encodings.indexOf(encoding);
  if (encoding !== undefined && index === -1) return undefined;
  if (isSecondOfLast(slot, pages)) return copyIn(secondOfLast(other.pages), other.pages, index);
  const plain = plainSlotOf(slot, pages);
  return plain > other.pages ? undefined : copyIn(plain, other.pages, index);
}

/** Returns the path of a slot's file, relative to the tree, with slashes. */
export function pathOf(collection: Collection, slot: number, pages: number, encodings: readonly Encoding[] = []): string {
  const variant = encodingOf(slot, pages, encodings);
  if (variant !== undefined) return pathOf(collection, plainSlotOf(slot, pages), pages) + SUFFIXES[variant];
  const folder = collectionFolder(collection);
  if (slot === 0) return `${folder}/index.json`;
  return `${pagesFolder(collection)}/${slot > pages ? 'last' : slot}/index.json`;
}

/** Returns the slot of a path; undefined if this layout has no such file. */
export function slotAt(collection: Collection, path: string, pages: number, encodings: readonly Encoding[] = []): number | undefined {
  const variant = encodings.findIndex((encoding) => path.endsWith(SUFFIXES[encoding]));
  const slot = plainSlotAt(collection, variant === -1 ? path : path.slice(0, path.lastIndexOf('.')), pages);
  return slot === undefined ? undefined : copyIn(slot, pages, variant);
}

function plainSlotAt(collection: Collection, path: string, pages: number): number | undefined {
  if (path === `${collectionFolder(collection)}/index.json`) return 0;
  const prefix = `${pagesFolder(collection)}/`;
  if (!path.startsWith(prefix) || !path.endsWith('/index.json')) return undefined;
  const name = path.slice(prefix.length, -'/index.json'.length);
  if (name === 'last') return secondOfLast(pages);
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
