import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { partOf } from '../../browse/parts.ts';
import { HOME } from '../../browse/paths.ts';
import type { Pauses } from '../../contract/event-loop-pauses.ts';
import { BufferedFile } from '../../contract/files/file-bytes.ts';
import { COLLECTIONS } from '../../contract/pages/collection.ts';
import type { BuildRecord } from '../build-record.ts';
import { isEmpty, readablePaths } from '../existing-tree.ts';
import { collectionFolder, fileCount, type Layout, pathsOfPages } from '../layout.ts';
import { BROWSE_FOLDER, type Listing, listFiles } from '../manifest/listing.ts';
import { digestOf, MANIFEST } from '../manifest/manifest.ts';
import type { TreeFiles } from '../tree-files.ts';

/** The digest of a file that cannot be read: it is written again. */
const NO_DIGEST = '0'.repeat(64);

/**
 * Lists the present files of a tree, by group. Those of an unfinished tree are read, because its manifest may not list them.
 * @param found the record of the tree if it is finished
 * @param layout that of the new tree: no other pages are read
 * @param stage the folder for a file with the lines, if there is no manifest in a folder
 * @param onProgress called with the number of files with pages that were read, and the number of all
 */
export async function listPresent(
  files: TreeFiles,
  found: BuildRecord | undefined,
  layout: Layout,
  stage: string,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<Listing> {
  if (found !== undefined && files.form === 'folder') return listFiles(join(files.out, MANIFEST));
  const listed = openSync(join(stage, 'present'), 'w');
  try {
    const lines = new BufferedFile(listed);
    if (found !== undefined) lines.write(files.read(MANIFEST));
    const all = fileCount(layout);
    let read = 0;
    for (const path of found === undefined ? presentPaths(files, layout) : []) {
      lines.write(Buffer.from(`${digestOf(files.pieces(path)) ?? NO_DIGEST}  ${path}\n`));
      read += 1;
      if (pauses.areDue) await pauses.take(() => onProgress(Math.min(read, all), all));
    }
    lines.flush();
  } finally {
    closeSync(listed);
  }
  return listFiles(join(stage, 'present'));
}

/** Yields the paths at which a tree can have pages, and those of its browse files. Files of others are left out. */
function* presentPaths(files: TreeFiles, layout: Layout): Generator<string> {
  const absent = COLLECTIONS.map(collectionFolder).filter((folder) => isEmpty(files, folder));
  for (const path of pathsOfPages(layout)) if (!absent.some((folder) => path.startsWith(folder))) yield path;
  if (files.size(HOME) !== undefined) yield HOME;
  for (const path of readablePaths(files, BROWSE_FOLDER)) if (partOf(path) !== undefined) yield path;
}
