import { opendirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../browse/paths.ts';
import { COLLECTIONS } from '../contract/collection.ts';
import { BROWSE_FOLDER } from './browse-lines.ts';
import { collectionFolder, isPageName, pagesFolder } from './layout.ts';
import { inTheWay, lstatOf, refuseUnlessFolder } from './obstacles.ts';

/**
 * Refuses a tree with anything other than a folder at the path of a folder. Through a symbolic link, a build would write
 * and delete files elsewhere.
 * @throws Failure not-ours
 */
export function refuseLinkedFolders(out: string): void {
  const folders = ['rest', ...COLLECTIONS.flatMap((collection) => [collectionFolder(collection), pagesFolder(collection)])];
  for (const folder of folders) refuseUnlessFolder(join(out, folder));
  for (const collection of COLLECTIONS) {
    const folder = join(out, pagesFolder(collection));
    if (lstatOf(folder) === undefined) continue;
    const entries = opendirSync(folder);
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        const isPage = isPageName(entry.name) || entry.name === 'last';
        if (isPage && !entry.isDirectory()) refuseUnlessFolder(join(folder, entry.name));
      }
    } finally {
      entries.closeSync();
    }
  }
}

/**
 * Refuses a folder with something at the place of the browse files, if no build wrote browse files there. An empty folder is
 * fine.
 * @throws Failure not-ours
 */
export function refuseForeignBrowse(out: string): void {
  const paths = [HOME, BROWSE_FOLDER].map((path) => join(out, path));
  for (const path of paths) {
    const found = lstatOf(path);
    if (found === undefined || (found.isDirectory() && readdirSync(path).length === 0)) continue;
    throw inTheWay(path, 'nothing, because build --html writes here', found);
  }
}
