import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOME } from '../../browse/paths.ts';
import type { OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { COLLECTIONS } from '../../contract/pages/collection.ts';
import { VERSION } from '../../version.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord, layoutOf } from '../build-record.ts';
import { ENCODINGS, SUFFIXES } from '../encoding.ts';
import { collectionFolder, fileCount, type Layout, pagesFolder, pathsInWriteOrder, pathsOfPages } from '../layout.ts';
import { piecesOf } from '../manifest/lines.ts';
import { BROWSE_FOLDER } from '../manifest/listing.ts';
import { digestOf, MANIFEST, writeManifest } from '../manifest/manifest.ts';
import { SORT_KEYS } from '../sort-keys.ts';
import type { StagedBrowse } from './browse-files.ts';
import { Mover } from './mover.ts';
import { surplusPages } from './obstacles.ts';
import { linesOfPart, obsoletePaths, pageParts } from './staged-part.ts';

/** The staged build record of the time while files are exchanged. */
const UNFINISHED = 'unfinished';

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
  writeFileSync(join(stage, UNFINISHED), encodeBuildRecord(begun));
  const build = stageManifest(options);
  writeFileSync(join(stage, BUILD_RECORD), encodeBuildRecord(build));

  const layout = layoutOf(now);
  const oldPages = surplusPages(out, layout);
  // the clock may have been set back meanwhile
  const mover = new Mover(stage, out, Math.min(began, statSync(join(stage, UNFINISHED)).mtimeMs));
  const hasOldCopies = hasOldVariants && existsSync(join(out, 'rest'));
  const oldCopies = hasOldCopies ? [...mover.present(pathsOfOtherCopies(layout))] : [];
  const oldFiles = [...mover.present(oldPages.flatMap((path) => [path, ...ENCODINGS.map((encoding) => path + SUFFIXES[encoding])]))];
  const counts = tally(options);
  let compared = 0;
  for (const folder of ['rest', ...(browse === undefined ? [] : [BROWSE_FOLDER])]) {
    for (const _ of mover.checkFolder(folder)) {
      compared += 1;
      if (pauses.areDue) await pauses.take(() => onProgress('compare', compared, counts.written));
    }
  }
  if (existsSync(join(stage, HOME))) mover.check(HOME);
  // what is in the way is refused before anything moves
  if (browse !== undefined) for (const _ of mover.present(obsoletePaths(stage)));
  if (digestOf(piecesOf(join(out, SORT_KEYS))) !== sortKeys) mover.check(SORT_KEYS);
  mover.check(MANIFEST);
  for (const record of [UNFINISHED, BUILD_RECORD]) mover.checkRecord(record);

  pauses.check();
  if (!isDryRun) {
    mover.move(UNFINISHED, BUILD_RECORD);
    movePages(mover, layout, (done, all) => onProgress('exchange', done, all));
    mover.remove([...oldCopies, ...oldFiles]);
    mover.removeEmpty(oldPages.map((path) => dirname(path)));
    mover.moveFolder(BROWSE_FOLDER);
    mover.move(HOME);
    if (browse !== undefined) {
      mover.remove(obsoletePaths(stage));
      mover.removeEmpty([...(browse.isWhole ? foldersIn(out, BROWSE_FOLDER) : []), BROWSE_FOLDER]);
    }
    for (const path of [SORT_KEYS, MANIFEST, BUILD_RECORD]) mover.move(path);
  }
  const removedPages = oldFiles.filter((path) => path.endsWith('.json')).length;
  return { build, ...counts, removed: removedPages + oldCopies.length + counts.removedBrowseFiles, removedCopies: oldCopies.length };
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
  return { ...options.record, manifest: writeManifest(join(options.stage, MANIFEST), lines(), options.sortKeys) };
}

/** Counts the files whose bytes are new, the others, and the browse files that are removed. */
export function tally({ record, writtenPages, browse }: Exchange): Pick<Exchanged, 'written' | 'unchanged' | 'removedBrowseFiles'> {
  const written = writtenPages + (browse?.written ?? 0);
  return { written, unchanged: fileCount(layoutOf(record)) + (browse?.files ?? 0) - written, removedBrowseFiles: browse?.obsolete ?? 0 };
}

/**
 * Moves the staged pages: the feed first, and in each collection the highest page first, so each page before the page that links to
 * it. New records push old records to later pages. So a reader who follows `next` meanwhile may see a record twice, but never
 * misses one.
 * @param onProgress called with the number of pages that were moved or are unchanged, and the number of all
 */
function movePages(mover: Mover, layout: Layout, onProgress: (done: number, all: number) => void): void {
  if (mover.moveAdded('rest')) return;
  const { pages } = layout;
  let done = 0;
  for (const collection of COLLECTIONS) {
    for (const folder of [collectionFolder(collection), pagesFolder(collection)]) mover.moveAdded(folder);
    for (let page = pages[collection]; page >= 1; page -= 1) {
      for (const path of pathsInWriteOrder(collection, page, layout)) {
        mover.moveAdded(dirname(path));
        mover.moveStaged(path);
      }
      done += 1;
      onProgress(done, pages.data + pages.account);
    }
  }
}

/** Yields the paths of compressed copies in encodings that a layout does not have. */
function* pathsOfOtherCopies({ pages, encodings }: Layout): Generator<string> {
  const others = ENCODINGS.filter((encoding) => !encodings.includes(encoding));
  for (const path of pathsOfPages({ pages, encodings: [] })) for (const encoding of others) yield path + SUFFIXES[encoding];
}

/** Yields the folders below a folder, each after those that it has. */
function* foldersIn(out: string, folder: string): Generator<string> {
  if (!existsSync(join(out, folder))) return;
  for (const entry of readdirSync(join(out, folder), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    yield* foldersIn(out, `${folder}/${entry.name}`);
    yield `${folder}/${entry.name}`;
  }
}
