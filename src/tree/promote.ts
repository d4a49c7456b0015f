import { existsSync, mkdirSync, opendirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COLLECTIONS } from '../contract/collection.ts';
import { ENCODINGS, SUFFIXES } from './encoding.ts';
import { isPageName, pagesFolder, pathOf, slotCount, slotsInWriteOrder } from './layout.ts';
import type { TreeDigests } from './manifest.ts';

/** The number of folders to remove in parallel. */
const REMOVALS = 16;

/**
 * Moves staged files into the tree. If there was no tree, one rename moves all of them. Otherwise files move one by
 * one: the feed first, and in each collection the highest page first, so each page before the page that links to it.
 * New records push old records to later pages. So a reader who follows `next` meanwhile may see a record twice, but
 * never misses one.
 */
export function promote(stage: string, out: string, before: TreeDigests, after: TreeDigests): void {
  const staged = join(stage, 'rest');
  const rest = join(out, 'rest');
  if (!existsSync(rest)) {
    renameSync(staged, rest);
    return;
  }
  for (const collection of COLLECTIONS) {
    const { pages, encodings } = after[collection];
    mkdirSync(join(out, pagesFolder(collection)), { recursive: true });
    for (let page = pages; page >= 1; page -= 1) {
      const moved = new Set<string>();
      for (const slot of slotsInWriteOrder(page, after[collection])) {
        if (after[collection].equals(before[collection], slot)) continue;
        const path = pathOf(collection, slot, pages, encodings);
        if (moved.has(dirname(path))) continue;
        if (moveOver(join(stage, path), join(out, path)) === 'folder') moved.add(dirname(path));
      }
    }
  }
}

function moveOver(from: string, to: string): 'file' | 'folder' {
  try {
    renameSync(from, to);
    return 'file';
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // a new page moves with its folder: a full disk may not have the space to create a folder
    renameSync(dirname(from), dirname(to));
    return 'folder';
  }
}

/**
 * Removes the numbered pages that the tree no longer has, the highest first.
 * @returns how many pages were removed
 */
export async function removeOldPages(out: string, after: TreeDigests): Promise<number> {
  const surplus = COLLECTIONS.flatMap((collection) => {
    const folder = join(out, pagesFolder(collection));
    const numbers: number[] = [];
    for (const number of pageNumbersIn(folder)) if (number > after[collection].pages) numbers.push(number);
    return numbers.sort((a, b) => b - a).map((number) => join(folder, String(number)));
  });
  if (surplus.length === 0) return 0;
  const [{ remove }, { default: pLimit }] = await Promise.all([import('fs-extra/esm'), import('p-limit')]);
  const limit = pLimit(REMOVALS);
  await Promise.all(surplus.map((folder) => limit(() => remove(folder))));
  return surplus.length;
}

/** Removes compressed variants in encodings that the tree no longer has. */
export function removeVariants(out: string, after: TreeDigests): void {
  for (const path of variantsToRemove(after)) rmSync(join(out, path), { force: true });
}

/** Yields the paths at which a tree may have compressed variants in encodings that the new tree does not have. */
export function* variantsToRemove(after: TreeDigests): Generator<string> {
  for (const collection of COLLECTIONS) {
    const { pages, encodings } = after[collection];
    const surplus = ENCODINGS.filter((encoding) => !encodings.includes(encoding));
    for (let slot = 0; slot < slotCount(pages); slot += 1) {
      for (const encoding of surplus) yield pathOf(collection, slot, pages) + SUFFIXES[encoding];
    }
  }
}

/** Yields the numbers of the existing page folders, one at a time: there may be a hundred thousand. */
function* pageNumbersIn(folder: string): Generator<number> {
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (isPageName(entry.name)) yield Number(entry.name);
    }
  } finally {
    entries.closeSync();
  }
}
