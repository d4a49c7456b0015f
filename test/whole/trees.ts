import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

/** A tree's files by path, with their bytes. */
export type Files = ReadonlyMap<string, Buffer>;

export const BASE_URL = 'https://example.org/api';

/** The arguments of a build. */
export function buildArgs(store: string, out: string, options: readonly string[] = []): string[] {
  return ['build', '--store', store, '--out', out, '--base-url', BASE_URL, ...options];
}

/** Builds into a folder that is not there yet; gives what a build of that store is to be held to. */
export async function freshTree(store: string, out: string, options: readonly string[] = []): Promise<Files> {
  if (existsSync(out)) throw new Error(`${out} is there already`);
  await palimpsestJson(buildArgs(store, out, options));
  return filesIn(out);
}

/** A tree's files as readers may see them: all but those that a build has not put in their place yet. */
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

/** Every path at which two trees differ, and how; the first twenty, so that a failure can be read. */
export function differences(found: Files, wanted: Files): string[] {
  const all = [
    ...[...wanted.keys()].filter((path) => !found.has(path)).map((path) => `${path} is missing`),
    ...[...found].filter(([path, bytes]) => wanted.get(path)?.equals(bytes) === false).map(([path]) => `${path} has other bytes`),
    ...[...found.keys()].filter((path) => !wanted.has(path)).map((path) => `${path} should not be there`),
  ];
  return all.length > 20 ? [...all.slice(0, 20), `and ${all.length - 20} more`] : all;
}

/** What a tree says of itself. */
export type Word = 'none' | 'unfinished' | 'finished';

export function wordOf(out: string): Word {
  const path = join(out, 'build.json');
  if (!existsSync(path)) return 'none';
  const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return typeof record === 'object' && record !== null && 'state' in record && record.state === 'finished' ? 'finished' : 'unfinished';
}

/** The files' identities: another inode or another time of change means that a file was written. */
export function marksOf(out: string): Map<string, string> {
  const marks = new Map<string, string>();
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    marks.set(path.slice(out.length + 1).replaceAll('\\', '/'), `${ino} ${mtimeNs} ${size}`);
  }
  return marks;
}

/** The paths that are new or whose files were written between two looks, in order. */
export function touched(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after.keys()].filter((path) => before.get(path) !== after.get(path)).sort();
}
