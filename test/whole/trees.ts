import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, pathsIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

/** The bytes of a tree's files, by path. */
export type Files = ReadonlyMap<string, Buffer>;

export const BASE_URL = 'https://example.org/api';

/** Returns the arguments of a build, also into the tree of another store. */
export function buildArgs(store: string, out: string, options: readonly string[] = []): string[] {
  return ['build', '--store', store, '--out', out, '--base-url', BASE_URL, '--replace-tree', ...options];
}

/** Builds into a new folder. Returns the files that every build of this store must have. */
export async function freshTree(store: string, out: string, options: readonly string[] = []): Promise<Files> {
  if (existsSync(out)) throw new Error(`${out} already exists`);
  await palimpsestJson(buildArgs(store, out, options));
  return filesIn(out);
}

/** Returns the files of a tree that readers can see, without the staged files of a build. */
export function pagesIn(out: string): Files {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(out)) {
    if (name === '.palimpsest') continue;
    const path = join(out, name);
    if (statSync(path).isDirectory()) for (const [below, bytes] of filesIn(path)) files.set(`${name}/${below}`, bytes);
    else files.set(name, readFileSync(path));
  }
  return files;
}

/** Returns the differences between two trees, by path. Lists only the first twenty, so that a failure stays readable. */
export function differences(found: Files, wanted: Files): string[] {
  const all = [
    ...[...wanted.keys()].filter((path) => !found.has(path)).map((path) => `${path} is missing`),
    ...[...found].filter(([path, bytes]) => wanted.get(path)?.equals(bytes) === false).map(([path]) => `${path} has other bytes`),
    ...[...found.keys()].filter((path) => !wanted.has(path)).map((path) => `${path} should not exist`),
  ];
  return all.length > 20 ? [...all.slice(0, 20), `and ${all.length - 20} more`] : all;
}

/** The state in a tree's build.json; `none` if there is no build.json. */
export type BuildState = 'none' | 'unfinished' | 'finished';

export function buildStateOf(out: string): BuildState {
  const path = join(out, 'build.json');
  if (!existsSync(path)) return 'none';
  const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return typeof record === 'object' && record !== null && 'state' in record && record.state === 'finished' ? 'finished' : 'unfinished';
}

/** Returns a mark for each file. A new inode, modification time or size means that the file was written. */
export function marksOf(out: string): Map<string, string> {
  const marks = new Map<string, string>();
  for (const path of pathsIn(out)) {
    const { ino, mtimeNs, size } = statSync(join(out, path), { bigint: true });
    marks.set(path, `${ino} ${mtimeNs} ${size}`);
  }
  return marks;
}

/** Returns the sorted paths of the files that were created or written between two calls of {@link marksOf}. */
export function touched(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after.keys()].filter((path) => before.get(path) !== after.get(path)).sort();
}
