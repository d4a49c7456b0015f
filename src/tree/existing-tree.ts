import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HOME } from '../browse/paths.ts';
import { Failure } from '../contract/failure.ts';
import { namesIn } from '../contract/files/draft-file.ts';
import { VERSIONS_MARKER } from '../contract/files/markers.ts';
import { hint, suggested } from '../contract/hint.ts';
import { COLLECTIONS } from '../contract/pages/collection.ts';
import { type BuildRecord, buildRecordIn, hasTree, readBuildRecord } from './build-record.ts';
import { indexPath, pagePath } from './layout.ts';
import { BROWSE_FOLDER } from './manifest/listing.ts';
import { digestOf, manifestDigests } from './manifest/manifest.ts';
import { readSortKeys, SORT_KEYS, type SortKeys } from './sort-keys.ts';
import { openTreeFiles, type TreeFiles, UnreadableFile } from './tree-files.ts';

/** Returns the record of a tree if a build finished it and no part is missing since; otherwise undefined. */
export function finishedTree(files: TreeFiles): BuildRecord | undefined {
  const record = buildRecordIn(files);
  if (typeof record !== 'object') return undefined;
  const digests = manifestDigests(files);
  const isWhole =
    digests?.manifest === record.manifest &&
    hasEnds(files) &&
    hasBrowse(files, record) &&
    digestOf(files.pieces(SORT_KEYS)) === digests.sortKeys;
  return isWhole ? record : undefined;
}

export function sortKeysIn(files: TreeFiles): SortKeys {
  return readSortKeys(() => files.pieces(SORT_KEYS));
}

/** Whether the home page and another browse file exist, if the tree has them. */
function hasBrowse(files: TreeFiles, { browse_files }: BuildRecord): boolean {
  return browse_files === undefined || (files.size(HOME) !== undefined && !isEmpty(files, BROWSE_FOLDER));
}

/** Whether the first and last files of both collections exist: somebody may have deleted the pages. */
function hasEnds(files: TreeFiles): boolean {
  const ends = COLLECTIONS.flatMap((name) => [indexPath(name), pagePath(name, 'last')]);
  return ends.every((path) => files.size(path) !== undefined);
}

/** Whether a folder of a tree has no files. */
export function isEmpty(files: TreeFiles, folder: string): boolean {
  for (const _ of readablePaths(files, folder)) return false;
  return true;
}

/** Yields the paths of the files of a tree, or of those below a folder, up to the damage if the central directory of a ZIP is damaged. */
export function* readablePaths(files: TreeFiles, folder?: string): Generator<string> {
  try {
    yield* files.paths(folder);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
  }
}

/** @throws Failure no-tree, tree-unfinished */
export function openFinishedTree(out: string): { readonly files: TreeFiles; readonly build: BuildRecord } {
  const files = openTree(out);
  const build = buildRecordIn(files);
  if (typeof build === 'object') return { files, build };
  files.close();
  if (build !== 'unfinished') throw noTree(out);
  throw new Failure('tree-unfinished', `the tree in ${out} is not finished`, {
    place: { file: out },
    expected: 'a finished build',
    found: 'an interrupted build, or a damaged build.json',
    hint: hint`run ${suggested('build')} again with the store of this tree, to complete it`,
  });
}

/** @throws Failure no-tree if there is no ZIP where one should be, or it cannot be opened */
function openTree(out: string): TreeFiles {
  try {
    return openTreeFiles(out);
  } catch (error) {
    if (error instanceof UnreadableFile) throw noTree(out, error);
    throw error;
  }
}

/**
 * Returns the failure for a path without a finished tree. A build refuses a folder that has other files.
 * @param error why it cannot be opened
 */
export function noTree(out: string, error?: UnreadableFile): Failure {
  if (error?.reason === 'damaged' && isNamedWacz(out)) return wacz(out);
  const isForeign = readBuildRecord(out) === 'foreign';
  const hasFiles = (error !== undefined && error.reason !== 'missing') || namesIn(out).some((name) => !name.startsWith('.'));
  return new Failure('no-tree', `there is no tree in ${out}`, {
    place: { file: out },
    expected: 'a folder or a ZIP that palimpsest build made',
    found: isForeign
      ? 'a build.json that is damaged or not from palimpsest'
      : (error?.message ?? (hasFiles ? 'other files, and no build.json' : 'no build.json')),
    hint: hasTree(join(out, 'data'))
      ? `name ${join(out, 'data')} with --out: the tree of a bag is there`
      : hasFiles
        ? 'name the folder or the ZIP of a tree with --out, or build into a new or empty folder'
        : /\.(wacz|warc|gz)$/i.test(out)
          ? 'name the folder or the ZIP of a tree with --out; the archive is --to'
          : hint`run ${suggested('build')} first, or name the folder or the ZIP with --out`,
  });
}

function wacz(out: string): Failure {
  return new Failure('no-tree', `${out} is a WACZ`, {
    place: { file: out },
    expected: 'a folder or a ZIP that palimpsest build made',
    found: 'a web archive',
    hint: hint`to check it, import it into a new store: ${suggested('import', { '--store': 'copy.db', '--require-complete': true }, [out])}`,
  });
}

/**
 * Refuses a path to write to that is a tree or a folder with versions, or inside of one: readers would find the file there.
 * @throws Failure usage
 */
export function refuseInsideTree(to: string): void {
  for (let path = resolve(to), before = ''; path !== before; before = path, path = dirname(path)) {
    if (!hasTree(path) && !existsSync(join(path, VERSIONS_MARKER))) continue;
    throw new Failure('usage', `${to} is inside the tree`, {
      place: { field: '--to' },
      expected: `a path outside ${path}`,
      found: to,
      hint: 'name a path outside the tree, because every file in the tree is published',
    });
  }
}

/** Whether a file has the name of a WACZ: a ZIP that is no tree. */
function isNamedWacz(path: string): boolean {
  return path.toLowerCase().endsWith('.wacz');
}
