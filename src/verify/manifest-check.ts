import { PAGES_IN_PART, partsOf } from '../browse/parts.ts';
import { HOME } from '../browse/paths.ts';
import type { Pauses } from '../contract/event-loop-pauses.ts';
import { SITE_MARKER } from '../contract/files/markers.ts';
import { isObject } from '../contract/json.ts';
import { BUILD_RECORD, type BuildRecord, layoutOf } from '../tree/build-record.ts';
import { readablePaths } from '../tree/existing-tree.ts';
import { hasPage, listedFiles, pathsOfPages } from '../tree/layout.ts';
import { Digests } from '../tree/manifest/digests.ts';
import {
  BROWSE_FOLDER,
  browseGroupOf,
  browseGroups,
  groupOf,
  isBrowsePath,
  linesOfGroup,
  linesOfTree,
  listFiles,
} from '../tree/manifest/listing.ts';
import { digestOf, MANIFEST, manifestLines } from '../tree/manifest/manifest.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import { type TreeFiles, UnreadableFile } from '../tree/tree-files.ts';
import type { BrowseCheck } from './browse-check.ts';
import { BloomFilter } from './pages/bloom-filter.ts';
import type { Report } from './violation.ts';

/**
 * Reads a tree's manifest and checks it against the build record and the layout.
 * @param onProgress called with the number of lines that were read, and the number of all
 */
export async function checkManifest(
  files: TreeFiles,
  build: BuildRecord,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<Digests> {
  const digest = digestOf(files.pieces(MANIFEST));
  if (digest === undefined) {
    reportUnreadable(files, MANIFEST, build.manifest, report);
    return new Digests(layoutOf(build));
  }
  const digests = new Digests(layoutOf(build), listFiles(linesOfTree(files, MANIFEST)));
  const seen = BloomFilter.for(digests.listing.files);
  if (digest !== build.manifest)
    report.add({ rule: 'manifest-digest', path: MANIFEST, expected: `SHA-256 ${build.manifest}`, found: digest });
  const all = listedFiles(digests, build) + 1;
  let number = 0;
  let sortKeys: string | undefined;
  const isNext = orderOf(digests);
  let misplaced: string | undefined;
  const add = (expected: string, found: string) => report.add({ rule: 'manifest-line', path: MANIFEST, expected, found });
  for (const line of manifestLines(files.pieces(MANIFEST))) {
    number += 1;
    if (pauses.areDue) await pauses.take(() => onProgress(number, all));
    if (line !== undefined && !isNext(line.path)) misplaced ??= `line ${number}: ${line.path}`;
    if (line?.path === SORT_KEYS && sortKeys === undefined) {
      sortKeys = line.digest;
      continue;
    }
    if (line !== undefined && build.browse_files !== undefined && isBrowsePath(line.path)) continue;
    const isOwn = line !== undefined && hasPage(line.path, digests);
    // the filter can take a new path for a known one
    if (!isOwn || (seen.add(line.path) && isListedTwice(line.path, digests)))
      add('a digest and a file of the layout, each file once', `line ${number}: ${line?.path ?? 'an invalid line'}`);
  }
  if (sortKeys === undefined) add(`a line for ${SORT_KEYS}`, 'no such line');
  else checkFile(files, SORT_KEYS, sortKeys, report);
  for (const path of pathsOfPages(digests)) if (digests.get(path) === undefined) add(`a line for ${path}`, 'no such line');
  // another violation can change the order
  if (misplaced !== undefined && report.violationCount === 0) add('the files in the order of a build', misplaced);
  return digests;
}

/**
 * Returns a function that says whether a path is the next one of a manifest in the order of a build. Browse files need only the place of
 * their part: the order in a part follows from the store.
 */
function orderOf(digests: Digests): (path: string) => boolean {
  const places = placesIn(digests);
  let last: string | undefined;
  return (path) => {
    const place = browseGroupOf(path) ?? path;
    const isSamePart = place === last;
    last = place;
    return isSamePart || places.next().value === place;
  };
}

function* placesIn(digests: Digests): Generator<string> {
  yield* pathsOfPages(digests);
  const groups = new Set(browseGroups(digests.listing));
  for (const { name } of partsOf(groups.size * PAGES_IN_PART)) if (groups.has(name)) yield name;
  yield SORT_KEYS;
}

function isListedTwice(path: string, { listing }: Digests): boolean {
  return Array.from(linesOfGroup(listing, groupOf(path) ?? '')).filter((line) => line.path === path).length > 1;
}

/** The files of a tree that describe it. */
const METADATA = [BUILD_RECORD, MANIFEST, SORT_KEYS];
/** The number of paths of browse files that are compared with the manifest at once. */
const BATCH = 50_000;

/**
 * Reports every file that the layout and the manifest do not have. Ignores hidden files beside `rest` in a folder: palimpsest does
 * not own them.
 * @param onProgress called with the number of files that were found, and the number that the layout has
 */
export async function checkUnexpectedFiles(
  files: TreeFiles,
  build: BuildRecord,
  browse: BrowseCheck,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const layout = layoutOf(build);
  const all = listedFiles(layout, build);
  let found = 0;
  let browseFiles: string[] = [];
  // the check of the ZIP reports a central directory that is damaged
  for (const path of readablePaths(files)) {
    found += 1;
    if (pauses.areDue) await pauses.take(() => onProgress(found, all));
    if (build.browse_files !== undefined && (path === HOME || path.startsWith(`${BROWSE_FOLDER}/`))) {
      browseFiles.push(path);
      if (browseFiles.length < BATCH) continue;
      browse.unexpected(browseFiles);
      browseFiles = [];
      continue;
    }
    const isOurs = METADATA.includes(path) || isPublishState(files, path) || hasPage(path, layout);
    if (!isOurs) reportUnexpected(path, report);
  }
  browse.unexpected(browseFiles);
}

/** Counts the files below a folder, one by one because there may be many. */
export function filesBelow(files: TreeFiles, folder: string): number {
  let count = 0;
  for (const _ of readablePaths(files, folder)) count += 1;
  return count;
}

/** Compares a file with the SHA-256 that the manifest lists. */
export function checkFile(files: TreeFiles, path: string, expected: string, report: Report): void {
  const found = digestOf(files.pieces(path));
  if (found === undefined) reportUnreadable(files, path, expected, report);
  else compareDigests(path, expected, found, report);
}

/** Reports a file that differs from the manifest. A manifest that is damaged explains it. */
export function compareDigests(path: string, expected: string, found: string, report: Report): void {
  if (found === expected) return;
  const cause = report.isCause(MANIFEST) ? MANIFEST : undefined;
  report.add({ rule: 'file-digest', path, expected: `SHA-256 ${expected}`, found, cause });
}

/**
 * Reports a file that cannot be read. A damaged file of a ZIP exists, but not with its bytes.
 * @param expected its SHA-256
 */
export function reportUnreadable(files: TreeFiles, path: string, expected: string | undefined, report: Report): void {
  let error: unknown = 'no readable file';
  try {
    files.read(path);
  } catch (cause) {
    error = cause;
  }
  const found = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableFile && error.reason === 'damaged') {
    report.add({ rule: path === MANIFEST ? 'manifest-digest' : 'file-digest', path, expected: `SHA-256 ${expected}`, found });
  } else report.add({ rule: 'file-missing', path, expected: 'a file', found });
}

/** Reports a file that the tree should not have. */
export function reportUnexpected(path: string, report: Report): void {
  report.add({ rule: 'unexpected-file', path, expected: 'no file at this path', found: 'a file' });
}

/**
 * Returns whether a file of a folder is the state that `publish` keeps there. The folder of a published tree has this file, and
 * the next publish needs it.
 */
function isPublishState(files: TreeFiles, path: string): boolean {
  if (path !== SITE_MARKER || files.form !== 'folder') return false;
  try {
    const state: unknown = JSON.parse(files.read(path).toString());
    return isObject(state) && typeof state['palimpsest'] === 'string';
  } catch {
    return false;
  }
}
