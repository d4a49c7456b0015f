import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../browse/paths.ts';
import { Failure } from '../../contract/failure.ts';
import { COLLECTIONS } from '../../contract/pages/collection.ts';
import { isEmpty } from '../existing-tree.ts';
import { collectionFolder, isPageName, type Layout, pagePath, pagesFolder } from '../layout.ts';
import { BROWSE_FOLDER } from '../manifest/listing.ts';
import type { TreeFiles } from '../tree-files.ts';

/**
 * Returns the status of a folder; undefined if nothing is there.
 * @throws Failure not-ours if something else is there
 */
export function refuseUnlessFolder(path: string): Stats | undefined {
  const found = lstatOf(path);
  if (found !== undefined && !found.isDirectory()) throw inTheWay(path, 'a folder', found);
  return found;
}

/**
 * Returns the status of what a file replaces; undefined if nothing is there.
 * @throws Failure not-ours if a folder is there: a file cannot replace it
 */
export function refuseFolder(path: string): Stats | undefined {
  const found = lstatOf(path);
  if (found?.isDirectory()) throw inTheWay(path, 'a file', found);
  return found;
}

/** @throws Failure not-ours if a path exists and is not a regular file */
export function refuseUnlessFile(path: string): void {
  const found = lstatOf(path);
  if (found !== undefined && !found.isFile()) throw inTheWay(path, 'a file', found);
}

/** Returns the status of a path without following links; undefined if nothing is there. */
export function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Returns the failure for a file or folder that is in the way: not-ours. */
function inTheWay(path: string, expected: string, found: Stats): Failure {
  const kind = found.isSymbolicLink() ? 'a symbolic link' : found.isDirectory() ? 'a folder' : found.isFile() ? 'a file' : 'a special file';
  return new Failure('not-ours', `${path} is in the way of the build`, {
    place: { file: path },
    expected,
    found: kind,
    hint: 'move it away and build again, or build into another folder with --out; nothing was changed',
  });
}

/**
 * Returns the paths of the pages that a tree has and a layout has not, the highest first. Refuses a tree with anything other than a
 * folder at the path of a folder: through a symbolic link, a build would write and delete files elsewhere.
 * @throws Failure not-ours
 */
export function surplusPages(out: string, { pages }: Layout): readonly string[] {
  refuseUnlessFolder(join(out, 'rest'));
  for (const collection of COLLECTIONS) refuseUnlessFolder(join(out, collectionFolder(collection)));
  return COLLECTIONS.flatMap((collection) => {
    const folder = pagesFolder(collection);
    if (refuseUnlessFolder(join(out, folder)) === undefined) return [];
    const surplus: number[] = [];
    for (const entry of readdirSync(join(out, folder), { withFileTypes: true })) {
      const isNumber = isPageName(entry.name);
      if ((isNumber || entry.name === 'last') && !entry.isDirectory()) refuseUnlessFolder(join(out, folder, entry.name));
      if (isNumber && Number(entry.name) > pages[collection]) surplus.push(Number(entry.name));
    }
    return surplus.sort((a, b) => b - a).map((page) => pagePath(collection, page));
  });
}

/**
 * Refuses a folder with something at the place of the browse files, if no build wrote browse files there. Folders without files are
 * fine.
 * @throws Failure not-ours
 */
export function refuseForeignBrowse(files: TreeFiles): void {
  for (const name of [HOME, BROWSE_FOLDER]) {
    const path = join(files.out, name);
    const found = lstatOf(path);
    if (found === undefined || (found.isDirectory() && isEmpty(files, name))) continue;
    throw inTheWay(path, 'nothing, because build --html writes here', found);
  }
}
