import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../browse/paths.ts';
import { BROWSE_FOLDER, partOrUnknown, UNKNOWN_PART } from './browse-lines.ts';
import { lstatOf } from './obstacles.ts';

/** Paths in one folder that are of one part. */
export interface FoundPaths {
  /** The name of the part; '' for paths that no browse file of this release has. */
  readonly part: string;
  readonly paths: readonly string[];
}

/** Yields the paths of all files at the place of the browse files of a tree. Memory depends on the largest folder. */
export function* browseFilesIn(out: string): Generator<FoundPaths> {
  if (lstatOf(join(out, HOME)) !== undefined) yield { part: partOrUnknown(HOME), paths: [HOME] };
  if (lstatOf(join(out, BROWSE_FOLDER))?.isDirectory()) yield* pathsIn(out, BROWSE_FOLDER);
}

function* pathsIn(out: string, folder: string): Generator<FoundPaths> {
  const folders: string[] = [];
  const byPart = new Map<string, string[]>();
  const entries = entriesOf(join(out, folder));
  if (entries === undefined) yield { part: UNKNOWN_PART, paths: [folder] };
  for (const entry of entries ?? []) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) folders.push(path);
    else {
      const part = partOrUnknown(path);
      const paths = byPart.get(part);
      if (paths === undefined) byPart.set(part, [path]);
      else paths.push(path);
    }
  }
  for (const [part, paths] of byPart) yield { part, paths };
  for (const path of folders) yield* pathsIn(out, path);
}

/** Returns the entries of a folder; undefined if its name is not UTF-8, or it cannot be opened. */
function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
