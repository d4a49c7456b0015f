import { existsSync, renameSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { isLaterTime, timeAfter } from '../../contract/files/file-time.ts';
import { VERSION } from '../../version.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord, layoutOf } from '../build-record.ts';
import { fileCount } from '../layout.ts';
import { piecesOf } from '../manifest/lines.ts';
import { digestOf, MANIFEST, writeManifest } from '../manifest/manifest.ts';
import { SORT_KEYS } from '../sort-keys.ts';
import { promoteBrowse, refuseObsolete, type StagedBrowse, stagedBrowse, stagedIn } from './browse-stage.ts';
import { lstatOf, refuseFolder, refuseLinkedFolders } from './obstacles.ts';
import { promote, removeOldPages, removeVariants, variantsToRemove } from './promote.ts';
import { linesOfPart, pageParts } from './staged-part.ts';

/** The result of an exchange of files. */
export interface Exchanged {
  readonly build: BuildRecord;
  /** The numbers of files written, left unchanged, and removed. */
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
  /** The numbers of the removed files of two kinds: compressed copies of pages that stay, and browse files. */
  readonly removedCopies: number;
  readonly removedBrowseFiles: number;
}

/** The phases of an exchange. `compare` counts new files that are compared with the tree, `exchange` pages. */
export type ExchangePhase = 'compare' | 'exchange';

export interface Exchange {
  readonly out: string;
  /** The folder with the files whose bytes are new. */
  readonly stage: string;
  /** The start of the build in milliseconds, by the clock of the file system. */
  readonly began: number;
  /** The number of staged files with pages. */
  readonly writtenPages: number;
  /** The SHA-256 of the staged sort keys. */
  readonly sortKeys: string;
  /** The browse files; undefined if the tree has none and gets none. */
  readonly browse: StagedBrowse | undefined;
  readonly record: Omit<BuildRecord, 'manifest'>;
  /** Whether the tree may have compressed variants that the new tree does not have. */
  readonly hasOldVariants: boolean;
  /** Whether the tree stays unchanged. */
  readonly isDryRun: boolean;
  /** End the build before the first file of the tree is replaced. */
  readonly pauses: Pauses;
  readonly onProgress: OnProgress<ExchangePhase>;
}

/**
 * Moves the staged files of a build into the tree and removes obsolete files. The exchange itself takes no disk space:
 * even the files that are written last are staged first.
 * @throws Failure not-ours if something is in the way; then nothing was changed
 */
export async function exchange(options: Exchange): Promise<Exchanged> {
  const { out, stage, began, sortKeys, browse, record: now, hasOldVariants, isDryRun, pauses, onProgress } = options;
  const unfinished = join(stage, 'unfinished');
  const manifest = join(stage, 'manifest');
  const record = join(stage, 'record');
  const { base_url, page_size, account_page_size, about, noindex, account_feeds, store } = now;
  // before or after the build, whichever are more
  const browse_files = browse && Math.max(browse.files, browse.obsolete);
  const compress = now.compress || undefined;
  const begun = {
    palimpsest: VERSION,
    state: 'unfinished',
    base_url,
    page_size,
    account_page_size,
    browse_files,
    compress,
    about,
    noindex,
    account_feeds,
    store,
  } as const;
  writeFileSync(unfinished, encodeBuildRecord(begun));
  const build = stageManifest(options);
  writeFileSync(record, encodeBuildRecord(build));

  const layout = layoutOf(now);
  const isNew = !existsSync(join(out, 'rest'));
  const hasSurplusVariants = !isNew && hasOldVariants;
  refuseLinkedFolders(out);
  if (hasSurplusVariants) for (const path of variantsToRemove(layout)) refuseFolder(join(out, path), lstatOf(join(out, path)));
  // the clock may have been set back meanwhile
  const earliest = Math.min(began, statSync(unfinished).mtimeMs);
  const times = pageTimes(earliest, lstatOf(join(out, BUILD_RECORD))?.mtimeMs ?? 0);
  const check = (staged: string, path: string) => {
    const found = lstatOf(join(out, path));
    refuseFolder(join(out, path), found);
    times.set(staged, found);
  };
  const counts = tally(options);
  function* staged(): Generator<string> {
    // a new tree has no files to compare with
    if (!isNew || times.areBehind) yield* stagedIn(stage, out, 'rest');
    if (browse !== undefined) yield* stagedBrowse(stage, out, times.areBehind);
  }
  let compared = 0;
  for (const path of staged()) {
    check(join(stage, path), path);
    compared += 1;
    if (pauses.areDue) await pauses.take(() => onProgress('compare', compared, counts.written));
  }
  if (browse !== undefined) refuseObsolete(stage, out);
  const hasNewSortKeys = digestOf(piecesOf(join(out, SORT_KEYS))) !== sortKeys;
  if (hasNewSortKeys) check(join(stage, SORT_KEYS), SORT_KEYS);
  check(manifest, MANIFEST);
  for (const path of [unfinished, record]) {
    check(path, BUILD_RECORD);
    times.setRecord(path);
  }

  pauses.check();
  if (!isDryRun) {
    renameSync(unfinished, join(out, BUILD_RECORD));
    promote(stage, out, layout, (done, all) => onProgress('exchange', done, all));
  }
  const removedCopies = hasSurplusVariants ? removeVariants(out, layout, isDryRun) : 0;
  const removedPages = isNew ? 0 : await removeOldPages(out, layout, isDryRun);
  if (!isDryRun) {
    if (browse !== undefined) promoteBrowse(stage, out, browse);
    if (hasNewSortKeys) renameSync(join(stage, SORT_KEYS), join(out, SORT_KEYS));
    renameSync(manifest, join(out, MANIFEST));
    renameSync(record, join(out, BUILD_RECORD));
  }
  return { build, ...counts, removed: removedPages + removedCopies + counts.removedBrowseFiles, removedCopies };
}

/** Yields the names of the parts of a tree, in the order of the manifest. */
export function* partsOf({ record, browse }: Exchange): Generator<string> {
  yield* pageParts(layoutOf(record));
  yield* browse?.parts ?? [];
}

/** Writes the manifest of the new tree. Returns the build record with its digest. */
export function stageManifest(options: Exchange): BuildRecord {
  function* lines(): Generator<string> {
    for (const part of partsOf(options)) yield linesOfPart(options.stage, part);
  }
  return { ...options.record, manifest: writeManifest(join(options.stage, 'manifest'), lines(), options.sortKeys) };
}

/** Counts the files whose bytes are new, the others, and the browse files that are removed. */
export function tally({ record, writtenPages, browse }: Exchange): Pick<Exchanged, 'written' | 'unchanged' | 'removedBrowseFiles'> {
  const written = writtenPages + (browse?.written ?? 0);
  return { written, unchanged: fileCount(layoutOf(record)) + (browse?.files ?? 0) - written, removedBrowseFiles: browse?.obsolete ?? 0 };
}

/**
 * Gives each file with new bytes a modification time that no earlier version of the file had. The time is later than
 * that of the replaced file, and later than the tree's last build, because that build may have removed the file. The
 * times of the file system are enough, unless the last build was a moment ago or the clock was set back. In these cases
 * the times are ahead of the clock.
 * @param earliest a time in milliseconds; no staged file has an earlier one
 * @param lastBuild the time of the tree's build record in milliseconds; 0 if there is no record
 */
function pageTimes(earliest: number, lastBuild: number) {
  let latest = 0;
  return {
    /** Whether even files that replace no other need a time of their own. */
    areBehind: !isLaterTime(earliest, lastBuild),
    /** @param found the file that the staged one replaces */
    set: (staged: string, found: Stats | undefined): void => {
      const previous = Math.max(lastBuild, found?.mtimeMs ?? 0);
      if (isLaterTime(earliest, previous)) return;
      const time = timeAfter(previous);
      utimesSync(staged, time, time);
      latest = Math.max(latest, time);
    },
    /** Gives the build record a time that is not earlier than that of any file. */
    setRecord: (staged: string): void => {
      if (statSync(staged).mtimeMs < latest * 1000) utimesSync(staged, latest, latest);
    },
  };
}
