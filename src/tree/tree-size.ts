import { type Dir, opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileSystemFailure } from '../contract/failure.ts';

/** The size of a tree, to compare with the limits of a host. */
export interface TreeSize {
  readonly files: number;
  readonly largest: { readonly path: string; readonly bytes: number };
}

/**
 * Counts a tree's files and finds the largest. Hidden files are not published and not counted.
 * @throws Failure file-system if a folder cannot be read
 */
export function treeSizeOf(out: string): TreeSize {
  let files = 0;
  let largest = { path: '', bytes: 0 };
  for (const path of filesIn(out, '')) {
    const found = statSync(join(out, path), { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    const bytes = found.size;
    files += 1;
    if (bytes > largest.bytes) largest = { path, bytes };
  }
  return { files, largest };
}

function* filesIn(out: string, folder: string): Generator<string> {
  const entries = openFolder(join(out, folder));
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) yield* filesIn(out, path);
      else yield path;
    }
  } finally {
    entries.closeSync();
  }
}

function openFolder(folder: string): Dir {
  try {
    return opendirSync(folder);
  } catch (error) {
    const [expected, hint] = ['a readable folder', 'check the permissions of the folder'];
    throw fileSystemFailure(error, folder, { expected, hint }, `cannot read ${folder}`);
  }
}
