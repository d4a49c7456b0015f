import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS } from '../contract/collection.ts';
import { VERSION } from '../version.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord } from './build-record.ts';
import { pathOf, slotCount } from './layout.ts';
import { digestOf, MANIFEST, type TreeDigests, writeManifest } from './manifest.ts';
import { lstatOf, refuseFolder, refuseLinkedFolders } from './obstacles.ts';
import { PageTimes } from './page-times.ts';
import { promote, removeOldPages, removeVariants, variantsToRemove } from './promote.ts';
import { SORT_KEYS } from './sort-keys.ts';

/** The result of an exchange of files. */
export interface Exchanged {
  readonly build: BuildRecord;
  /** The numbers of files written, left unchanged, and removed. */
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

export interface Exchange {
  readonly out: string;
  /** The folder with the files whose bytes are new. */
  readonly stage: string;
  /** The start of the build in milliseconds, by the clock of the file system. */
  readonly began: number;
  readonly before: TreeDigests;
  readonly after: TreeDigests;
  /** The SHA-256 of the staged sort keys. */
  readonly sortKeys: string;
  readonly record: Omit<BuildRecord, 'manifest'>;
  /** Whether the tree may have compressed variants that the new tree does not have. */
  readonly hasOldVariants: boolean;
}

/**
 * Moves the staged files of a build into the tree and removes obsolete files. The exchange itself takes no disk space:
 * even the files that are written last are staged first.
 * @throws Failure not-ours if something is in the way; then nothing was touched
 */
export async function exchange({ out, stage, began, before, after, sortKeys, record: now, hasOldVariants }: Exchange): Promise<Exchanged> {
  const unfinished = join(stage, 'unfinished');
  const manifest = join(stage, 'manifest');
  const record = join(stage, 'record');
  writeFileSync(unfinished, encodeBuildRecord({ palimpsest: VERSION, state: 'unfinished', base_url: now.base_url }));
  const build = { ...now, manifest: writeManifest(manifest, after, sortKeys) };
  writeFileSync(record, encodeBuildRecord(build));

  const isNew = !existsSync(join(out, 'rest'));
  const hasSurplusVariants = !isNew && hasOldVariants;
  refuseLinkedFolders(out);
  if (hasSurplusVariants) for (const path of variantsToRemove(after)) refuseFolder(join(out, path), lstatOf(join(out, path)));
  // the clock may have been set back meanwhile
  const earliest = Math.min(began, statSync(unfinished).mtimeMs);
  const times = new PageTimes(earliest, lstatOf(join(out, BUILD_RECORD))?.mtimeMs ?? 0);
  const check = (staged: string, path: string) => {
    const found = lstatOf(join(out, path));
    refuseFolder(join(out, path), found);
    times.set(staged, found);
  };
  for (const path of stagedFiles(before, after)) check(join(stage, path), path);
  const hasNewSortKeys = digestOf(join(out, SORT_KEYS)) !== sortKeys;
  if (hasNewSortKeys) check(join(stage, SORT_KEYS), SORT_KEYS);
  check(manifest, MANIFEST);
  for (const path of [unfinished, record]) {
    check(path, BUILD_RECORD);
    times.setRecord(path);
  }

  renameSync(unfinished, join(out, BUILD_RECORD));
  promote(stage, out, before, after);
  if (hasSurplusVariants) removeVariants(out, after);
  const removed = isNew ? 0 : await removeOldPages(out, after);
  if (hasNewSortKeys) renameSync(join(stage, SORT_KEYS), join(out, SORT_KEYS));
  renameSync(manifest, join(out, MANIFEST));
  renameSync(record, join(out, BUILD_RECORD));
  return { build, ...tally(before, after), removed };
}

/** The files whose bytes are new, relative to the tree. */
function* stagedFiles(before: TreeDigests, after: TreeDigests): Generator<string> {
  for (const collection of COLLECTIONS) {
    const { pages, encodings } = after[collection];
    for (let slot = 0; slot < slotCount(pages, encodings); slot += 1) {
      if (!after[collection].equals(before[collection], slot)) yield pathOf(collection, slot, pages, encodings);
    }
  }
}

function tally(before: TreeDigests, after: TreeDigests): { readonly written: number; readonly unchanged: number } {
  let all = 0;
  for (const collection of COLLECTIONS) all += slotCount(after[collection].pages, after[collection].encodings);
  let written = 0;
  for (const _ of stagedFiles(before, after)) written += 1;
  return { written, unchanged: all - written };
}
