import { type Dir, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../browse/paths.ts';
import { COLLECTIONS } from '../contract/collection.ts';
import type { Pauses } from '../contract/pauses.ts';
import { BROWSE_FOLDER, isBrowsePath } from '../tree/browse-lines.ts';
import { BUILD_RECORD, type BuildRecord } from '../tree/build-record.ts';
import { Digests } from '../tree/digests.ts';
import { encodingsIn } from '../tree/encoding.ts';
import { pathOf, slotAt, slotCount } from '../tree/layout.ts';
import { digestOf, MANIFEST, manifestDigest, manifestLines, type TreeDigests } from '../tree/manifest.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import { isPublishState } from './publish-state.ts';
import type { Report } from './violation.ts';

/**
 * Reads a tree's manifest and checks it against the build record and the layout.
 * @param onProgress called with the number of lines that were read, and the number of all
 */
export async function checkManifest(
  out: string,
  build: BuildRecord,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<TreeDigests> {
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const digests = { data: new Digests(pages.data, encodings), account: new Digests(pages.account, encodings) };
  const digest = manifestDigest(out);
  if (digest === undefined) {
    report.add({ rule: 'file-missing', path: MANIFEST, expected: 'a file', found: 'no readable file' });
    return digests;
  }
  if (digest !== build.manifest)
    report.add({ rule: 'manifest-digest', path: MANIFEST, expected: `SHA-256 ${build.manifest}`, found: digest });
  const all = slotCount(pages.data, encodings) + slotCount(pages.account, encodings) + (build.browse_files ?? 0) + 1;
  let number = 0;
  let sortKeys: string | undefined;
  for (const line of manifestLines(out)) {
    number += 1;
    if (pauses.areDue) {
      onProgress(number, all);
      await pauses.take();
    }
    if (line?.path === SORT_KEYS && sortKeys === undefined) {
      sortKeys = line.digest;
      continue;
    }
    if (line !== undefined && build.browse_files !== undefined && isBrowsePath(line.path)) continue;
    const collection = COLLECTIONS.find((name) => line !== undefined && slotAt(name, line.path, pages[name], encodings) !== undefined);
    const slot = line === undefined || collection === undefined ? undefined : slotAt(collection, line.path, pages[collection], encodings);
    if (line === undefined || collection === undefined || slot === undefined || digests[collection].get(slot) !== undefined) {
      report.add({
        rule: 'manifest-line',
        path: MANIFEST,
        expected: 'a digest and a file of the layout, each file once',
        found: `line ${number}: ${line?.path ?? 'an invalid line'}`,
      });
    } else {
      digests[collection].set(slot, Buffer.from(line.digest, 'hex'));
    }
  }
  if (sortKeys === undefined)
    report.add({ rule: 'manifest-line', path: MANIFEST, expected: `a line for ${SORT_KEYS}`, found: 'no such line' });
  else checkSortKeys(out, sortKeys, report);
  for (const collection of COLLECTIONS) {
    for (let slot = 0; slot < slotCount(pages[collection], encodings); slot += 1) {
      if (digests[collection].get(slot) !== undefined) continue;
      report.add({
        rule: 'manifest-line',
        path: MANIFEST,
        expected: `a line for ${pathOf(collection, slot, pages[collection], encodings)}`,
        found: 'no such line',
      });
    }
  }
  return digests;
}

function checkSortKeys(out: string, expected: string, report: Report): void {
  const found = digestOf(join(out, SORT_KEYS));
  if (found === undefined) report.add({ rule: 'file-missing', path: SORT_KEYS, expected: 'a file', found: 'no readable file' });
  else if (found !== expected) {
    const cause = report.isCause(MANIFEST) ? MANIFEST : undefined;
    report.add({ rule: 'file-digest', path: SORT_KEYS, expected: `SHA-256 ${expected}`, found, cause });
  }
}

/**
 * Reports every file that the layout does not have. Ignores hidden files beside `rest`: palimpsest does not own them.
 * @param onProgress called with the number of files that were found, and the number that the layout has
 */
export async function checkUnexpectedFiles(
  out: string,
  build: BuildRecord,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const all = slotCount(pages.data, encodings) + slotCount(pages.account, encodings);
  let found = 0;
  for (const path of filesIn(out, '')) {
    found += 1;
    if (pauses.areDue) {
      onProgress(found, all);
      await pauses.take();
    }
    const isOurs =
      path === BUILD_RECORD ||
      path === MANIFEST ||
      path === SORT_KEYS ||
      path.startsWith('.') ||
      isPublishState(out, path) ||
      // these are checked with the browse files
      (build.browse_files !== undefined && (path === HOME || path.startsWith(`${BROWSE_FOLDER}/`))) ||
      COLLECTIONS.some((name) => slotAt(name, path, pages[name], encodings) !== undefined);
    if (!isOurs) report.add({ rule: 'unexpected-file', path, expected: 'no file at this path', found: 'a file' });
  }
}

/** Counts the entries of a folder, one by one because there may be many. Returns 0 if the folder cannot be read. */
export function entriesIn(folder: string): number {
  let count = 0;
  try {
    const entries = opendirSync(folder);
    while (entries.readSync() !== null) count += 1;
    entries.closeSync();
  } catch {
    // an unreadable folder counts as empty
  }
  return count;
}

/** Yields the paths of all files below a folder of a tree. Leaves out hidden folders. */
export function* filesIn(out: string, folder: string): Generator<string> {
  let entries: Dir;
  try {
    entries = opendirSync(join(out, folder));
  } catch {
    // the name is not UTF-8, or the folder cannot be opened
    yield folder;
    return;
  }
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) yield path;
      else if (!path.startsWith('.')) yield* filesIn(out, path);
    }
  } finally {
    entries.closeSync();
  }
}
