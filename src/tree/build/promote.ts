import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureDirSync, remove } from 'fs-extra/esm';
import pLimit from 'p-limit';
import { codeOf } from '../../contract/failure.ts';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import { ENCODINGS, SUFFIXES } from '../encoding.ts';
import { isPageName, type Layout, pagesFolder, pathsInWriteOrder, pathsOfPages } from '../layout.ts';
import { lstatOf } from './obstacles.ts';

/** The number of folders to remove in parallel. */
const REMOVALS = 16;

/**
 * Moves staged files into the tree. If there was no tree, one rename moves all of them. Otherwise files move one by
 * one: the feed first, and in each collection the highest page first, so each page before the page that links to it.
 * New records push old records to later pages. So a reader who follows `next` meanwhile may see a record twice, but
 * never misses one.
 * @param onProgress called with the number of pages that were moved or are unchanged, and the number of all
 */
export function promote(stage: string, out: string, layout: Layout, onProgress: (done: number, all: number) => void = () => {}): void {
  const { pages } = layout;
  const all = pages.data + pages.account;
  let done = 0;
  const staged = join(stage, 'rest');
  const rest = join(out, 'rest');
  if (!existsSync(rest)) {
    renameSync(staged, rest);
    return;
  }
  for (const collection of COLLECTIONS) {
    ensureDirSync(join(out, pagesFolder(collection)));
    const folders = new Set(readdirSync(join(stage, pagesFolder(collection))));
    for (let page = pages[collection]; page >= 1; page -= 1) {
      // the first and the last page have files in other folders, too
      if (folders.has(String(page)) || page === 1 || page === pages[collection]) promotePage(stage, out, collection, page, layout);
      done += 1;
      onProgress(done, all);
    }
  }
}

function promotePage(stage: string, out: string, collection: Collection, page: number, layout: Layout): void {
  const moved = new Set<string>();
  for (const path of pathsInWriteOrder(collection, page, layout)) {
    if (moved.has(dirname(path)) || !existsSync(join(stage, path))) continue;
    if (moveOver(join(stage, path), join(out, path)) === 'folder') moved.add(dirname(path));
  }
}

function moveOver(from: string, to: string): 'file' | 'folder' {
  try {
    renameSync(from, to);
    return 'file';
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // a new page moves with its folder: a full disk may not have the space to create a folder
    renameSync(dirname(from), dirname(to));
    return 'folder';
  }
}

/**
 * Removes the numbered pages that the tree no longer has, the highest first. A dry run removes none.
 * @returns how many pages the tree no longer has
 */
export async function removeOldPages(out: string, { pages }: Layout, isDryRun = false): Promise<number> {
  const surplus = COLLECTIONS.flatMap((collection) => {
    const folder = join(out, pagesFolder(collection));
    const numbers = existsSync(folder) ? readdirSync(folder).filter(isPageName).map(Number) : [];
    const old = numbers.filter((number) => number > pages[collection]).sort((a, b) => b - a);
    return old.map((number) => join(folder, String(number)));
  });
  if (surplus.length === 0 || isDryRun) return surplus.length;
  const limit = pLimit(REMOVALS);
  await Promise.all(surplus.map((folder) => limit(() => remove(folder))));
  return surplus.length;
}

/**
 * Removes compressed variants in encodings that the tree no longer has. A dry run removes none.
 * @returns how many files the tree no longer has
 */
export function removeVariants(out: string, layout: Layout, isDryRun = false): number {
  let removed = 0;
  for (const path of variantsToRemove(layout)) {
    if (lstatOf(join(out, path)) === undefined) continue;
    if (!isDryRun) rmSync(join(out, path), { force: true });
    removed += 1;
  }
  return removed;
}

/** Yields the paths at which a tree may have compressed variants in encodings that the new tree does not have. */
export function* variantsToRemove({ pages, encodings }: Layout): Generator<string> {
  const surplus = ENCODINGS.filter((encoding) => !encodings.includes(encoding));
  for (const path of pathsOfPages({ pages, encodings: [] })) for (const encoding of surplus) yield path + SUFFIXES[encoding];
}
