import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOME } from '../../browse/paths.ts';
import { BROWSE_FOLDER } from '../manifest/listing.ts';
import type { BrowseSources, PartCounts } from './browse-render.ts';
import { lstatOf, refuseUnlessFolder } from './obstacles.ts';
import { OBSOLETE } from './staged-part.ts';

/** The staged browse files of a build. */
export interface StagedBrowse extends PartCounts {
  /** The names of the parts, in the order of the manifest. */
  readonly parts: readonly string[];
  /** Undefined if the new tree has no browse files. */
  readonly sources: BrowseSources | undefined;
  /** Whether all were rendered, not only what changed. Then an interrupted build may have left empty folders. */
  readonly isWhole: boolean;
}

/**
 * Yields the staged browse files.
 * @param isWhole whether to yield them also if the tree has no browse files yet
 * @throws Failure not-ours if something else than a folder is at the path of a staged folder
 */
export function* stagedBrowse(stage: string, out: string, isWhole: boolean): Generator<string> {
  if (isWhole || lstatOf(join(out, BROWSE_FOLDER)) !== undefined) yield* stagedIn(stage, out, BROWSE_FOLDER);
  if (existsSync(join(stage, HOME))) yield HOME;
}

/** @throws Failure not-ours if a link is at the path of a folder with obsolete files */
export function refuseObsolete(stage: string, out: string): void {
  const folders = new Set<string>();
  for (const path of obsoletePaths(stage)) {
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  for (const folder of folders) refuseUnlessFolder(join(out, folder));
}

/**
 * Moves the staged browse files into the tree, and removes the obsolete ones. New files come first and the home page last, so that no
 * link leads to a file that is not there yet.
 */
export function promoteBrowse(stage: string, out: string, { isWhole }: StagedBrowse): void {
  for (const isNew of [true, false]) moveFolder(join(stage, BROWSE_FOLDER), join(out, BROWSE_FOLDER), isNew);
  if (existsSync(join(stage, HOME))) renameSync(join(stage, HOME), join(out, HOME));
  const folders = new Set<string>();
  for (const path of obsoletePaths(stage)) {
    rmSync(join(out, path), { force: true });
    folders.add(dirname(path));
  }
  for (const folder of [...folders, ...(isWhole ? foldersIn(out, BROWSE_FOLDER) : []), BROWSE_FOLDER]) removeEmpty(out, folder);
}

function* obsoletePaths(stage: string): Generator<string> {
  for (const name of readdirSync(join(stage, OBSOLETE))) {
    yield* readFileSync(join(stage, OBSOLETE, name), 'utf8')
      .split('\n')
      .slice(0, -1);
  }
}

/** Yields the folders below a folder. */
function* foldersIn(out: string, folder: string): Generator<string> {
  if (!existsSync(join(out, folder))) return;
  for (const entry of readdirSync(join(out, folder), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    yield* foldersIn(out, `${folder}/${entry.name}`);
    yield `${folder}/${entry.name}`;
  }
}

/** Removes a folder, and then the folder that has it, as long as they are empty. */
function removeEmpty(out: string, folder: string): void {
  try {
    for (let path = folder; path !== '.'; path = dirname(path)) rmdirSync(join(out, path));
  } catch {
    // it has files, or does not exist
  }
}

/**
 * Yields the staged files of a folder.
 * @throws Failure not-ours if something else than a folder is at the path of a staged folder
 */
export function* stagedIn(stage: string, out: string, folder: string): Generator<string> {
  refuseUnlessFolder(join(out, folder));
  for (const entry of readdirSync(join(stage, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* stagedIn(stage, out, path);
    else yield path;
  }
}

/**
 * Moves the files of a folder. A folder that does not exist yet moves as a whole: a full disk may not have the space to create it.
 * @param isNew whether to move only files that replace no other
 */
function moveFolder(from: string, to: string, isNew: boolean): void {
  if (!existsSync(from)) return;
  if (!existsSync(to)) {
    renameSync(from, to);
    return;
  }
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveFolder(source, target, isNew);
    else if (!isNew || !existsSync(target)) renameSync(source, target);
  }
}
