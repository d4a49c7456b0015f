import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOME } from '../../browse/paths.ts';
import { BROWSE_FOLDER } from '../manifest/browse-lines.ts';
import { type BrowseSources, LINES, OBSOLETE, type PartCounts } from './browse-render.ts';
import { lstatOf, refuseUnlessFolder } from './obstacles.ts';

/** The staged browse files of a build: the files whose bytes are new, the lines of the manifest, the obsolete files. */
export class StagedBrowse {
  /** The numbers of all browse files of the new tree, of the new ones among them, and of those that are removed. */
  readonly files: number;
  readonly written: number;
  readonly obsolete: number;
  /** Undefined if the new tree has no browse files. */
  readonly sources: BrowseSources | undefined;
  readonly #out: string;
  readonly #stage: string;
  readonly #parts: number;

  constructor(out: string, stage: string, parts: number, totals: PartCounts, sources: BrowseSources | undefined) {
    this.#out = out;
    this.#stage = stage;
    this.#parts = parts;
    this.sources = sources;
    ({ files: this.files, written: this.written, obsolete: this.obsolete } = totals);
  }

  /** Yields the lines of the manifest, part by part. */
  *lines(): Generator<Buffer> {
    for (let part = 0; part < this.#parts; part += 1) yield readFileSync(join(this.#stage, LINES, String(part)));
  }

  /**
   * Yields the staged files.
   * @param isWhole whether to yield them also if the tree has no browse files yet
   * @throws Failure not-ours if something else than a folder is at the path of a staged folder
   */
  *staged(isWhole: boolean): Generator<string> {
    if (isWhole || lstatOf(join(this.#out, BROWSE_FOLDER)) !== undefined) yield* this.#stagedIn(BROWSE_FOLDER);
    if (existsSync(join(this.#stage, HOME))) yield HOME;
  }

  /** @throws Failure not-ours if a link is at the path of a folder with obsolete files */
  refuseObstacles(): void {
    const folders = new Set<string>();
    for (const path of this.#obsoletePaths()) {
      for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    }
    for (const folder of folders) refuseUnlessFolder(join(this.#out, folder));
  }

  /**
   * Moves the staged files into the tree, and removes the obsolete ones. New files come first and the home page last, so that no
   * link leads to a file that is not there yet.
   */
  promote(): void {
    for (const isNew of [true, false]) moveFolder(join(this.#stage, BROWSE_FOLDER), join(this.#out, BROWSE_FOLDER), isNew);
    if (existsSync(join(this.#stage, HOME))) renameSync(join(this.#stage, HOME), join(this.#out, HOME));
    const folders = new Set<string>();
    for (const path of this.#obsoletePaths()) {
      rmSync(join(this.#out, path), { force: true });
      folders.add(dirname(path));
    }
    for (const folder of [...folders, BROWSE_FOLDER]) this.#removeEmpty(folder);
  }

  *#obsoletePaths(): Generator<string> {
    for (const name of readdirSync(join(this.#stage, OBSOLETE))) {
      yield* readFileSync(join(this.#stage, OBSOLETE, name), 'utf8')
        .split('\n')
        .slice(0, -1);
    }
  }

  *#stagedIn(folder: string): Generator<string> {
    refuseUnlessFolder(join(this.#out, folder));
    for (const entry of readdirSync(join(this.#stage, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.#stagedIn(path);
      else yield path;
    }
  }

  /** Removes a folder, and then the folder that has it, as long as they are empty. */
  #removeEmpty(folder: string): void {
    try {
      for (let path = folder; path !== '.'; path = dirname(path)) rmdirSync(join(this.#out, path));
    } catch {
      // it has files, or does not exist
    }
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
