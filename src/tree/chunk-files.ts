import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of all chunks in a tree with the composed layout. */
export const CHUNKS = 'chunks';

/** The names of the folders in it, and of the files in these. */
const FOLDER = /^[0-9a-f]{2}$/;
const NAME = /^[0-9a-f]{62}$/;

/** Whether a folder has chunks of the composed layout, and no files in their folder that are not chunks. */
export function hasOnlyChunks(out: string): boolean {
  const folders = readdirSync(join(out, CHUNKS), { withFileTypes: true });
  const areOurs = folders.every((folder) => folder.isDirectory() && FOLDER.test(folder.name));
  if (!areOurs) return false;
  const files = folders.flatMap(({ name }) => readdirSync(join(out, CHUNKS, name), { withFileTypes: true }));
  return files.length > 0 && files.every((file) => file.isFile() && NAME.test(file.name));
}

/** Yields the paths of all chunks in a tree. Files with other names are left out. */
export function* chunksIn(out: string): Generator<string> {
  for (const folder of readdirSync(join(out, CHUNKS)).sort()) {
    if (!FOLDER.test(folder)) continue;
    for (const name of readdirSync(join(out, CHUNKS, folder)).sort()) {
      if (NAME.test(name)) yield `${CHUNKS}/${folder}/${name}`;
    }
  }
}
