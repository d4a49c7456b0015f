import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, type Stats, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLaterTime, timeAfter } from '../../contract/files/file-time.ts';
import { BUILD_RECORD } from '../build-record.ts';
import { lstatOf, refuseFolder, refuseUnlessFolder } from './obstacles.ts';

/**
 * Moves staged files into the folder of a tree, and removes files there. It first looks at all their places, so that nothing has
 * changed if something is in the way. No move takes disk space.
 *
 * Each moved file has a modification time that no earlier version of the file had. The time is later than that of the replaced
 * file, and later than the tree's last build, because that build may have removed the file. The times of the file system are
 * enough, unless the last build was a moment ago or the clock was set back. In these cases the times are ahead of the clock.
 */
export class Mover {
  readonly #stage: string;
  readonly #out: string;
  readonly #earliest: number;
  readonly #lastBuild: number;
  /** The latest time that a file got, in seconds. */
  #latest = 0;
  /** The staged folders at whose places nothing is. */
  readonly #added = new Set<string>();
  /** The files that were checked one by one. */
  readonly #checkedFiles = new Set<string>();
  /** Folders of the tree that are no links. */
  readonly #checkedFolders = new Set<string>(['.']);

  /** @param earliest a time in milliseconds; no staged file has an earlier one */
  constructor(stage: string, out: string, earliest: number) {
    this.#stage = stage;
    this.#out = out;
    this.#earliest = earliest;
    this.#lastBuild = lstatOf(join(out, BUILD_RECORD))?.mtimeMs ?? 0;
  }

  /**
   * Looks at the place of a staged file.
   * @throws Failure not-ours if a folder is there
   */
  check(staged: string, path: string = staged): void {
    this.#checkFile(staged, path);
    this.#checkedFiles.add(staged);
  }

  /** Looks at the place of a staged build record, which is not older than any file. */
  checkRecord(staged: string): void {
    this.check(staged, BUILD_RECORD);
    const file = join(this.#stage, staged);
    if (statSync(file).mtimeMs < this.#latest * 1000) utimesSync(file, this.#latest, this.#latest);
  }

  /**
   * Looks at the places of the files in a staged folder, and yields after each. A folder that the tree does not have moves as a whole:
   * a full disk may not have the space to create it.
   * @param isNew whether the tree does not have the folder that contains it
   * @throws Failure not-ours if a folder is at the path of a file, or anything else at the path of a folder
   */
  *checkFolder(folder: string, isNew = false): Generator<void> {
    const isAdded = isNew || refuseUnlessFolder(join(this.#out, folder)) === undefined;
    if (isAdded && !isNew) this.#added.add(folder);
    // without earlier versions, the times of the file system are enough
    if (isAdded && isLaterTime(this.#earliest, this.#lastBuild)) return;
    for (const entry of readdirSync(join(this.#stage, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.checkFolder(path, isAdded);
      else if (isAdded) this.#setTime(path, undefined);
      else this.#checkFile(path, path);
      if (entry.isFile()) yield;
    }
  }

  /**
   * Yields which of these files are there.
   * @throws Failure not-ours if a folder is at the path of one, or anything else at the path of a folder
   */
  *present(paths: Iterable<string>): Generator<string> {
    for (const path of paths) {
      this.#checkParents(path);
      if (refuseFolder(join(this.#out, path)) !== undefined) yield path;
    }
  }

  /** Moves a file that was checked to its place. */
  move(staged: string, path: string = staged): void {
    if (this.#checkedFiles.delete(staged)) this.#rename(staged, path);
  }

  /** Moves a staged folder if nothing was at its place. Returns whether it moved. */
  moveAdded(path: string): boolean {
    const isAdded = this.#added.delete(path);
    if (isAdded) this.#rename(path, path);
    return isAdded;
  }

  /** Moves a file of a staged folder to its place, if there is one. */
  moveStaged(path: string): void {
    if (existsSync(join(this.#stage, path))) this.#rename(path, path);
  }

  /** Moves the files of a staged folder. Those that replace no other come first. */
  moveFolder(folder: string): void {
    this.#moveFiles(folder, (path) => !existsSync(join(this.#out, path)));
    this.#moveFiles(folder, () => true);
  }

  remove(paths: Iterable<string>): void {
    const folders = new Set<string>();
    for (const path of paths) {
      rmSync(join(this.#out, path), { force: true });
      folders.add(dirname(path));
    }
    this.removeEmpty(folders);
  }

  /** Removes folders, and then the folders that have them, as long as they are empty. */
  removeEmpty(folders: Iterable<string>): void {
    for (const folder of folders) {
      try {
        for (let path = folder; path !== '.'; path = dirname(path)) rmdirSync(join(this.#out, path));
      } catch {
        // it has files, or does not exist
      }
    }
  }

  #checkFile(staged: string, path: string): void {
    this.#setTime(staged, refuseFolder(join(this.#out, path)));
  }

  #moveFiles(folder: string, isDue: (path: string) => boolean): void {
    if (this.moveAdded(folder) || !existsSync(join(this.#stage, folder))) return;
    for (const entry of readdirSync(join(this.#stage, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) this.#moveFiles(path, isDue);
      else if (isDue(path)) this.#rename(path, path);
    }
  }

  #rename(staged: string, path: string): void {
    renameSync(join(this.#stage, staged), join(this.#out, path));
  }

  #checkParents(path: string): void {
    const folder = dirname(path);
    if (this.#checkedFolders.has(folder)) return;
    this.#checkParents(folder);
    refuseUnlessFolder(join(this.#out, folder));
    this.#checkedFolders.add(folder);
  }

  /** @param replaced the file that the staged one replaces */
  #setTime(staged: string, replaced: Stats | undefined): void {
    const previous = Math.max(this.#lastBuild, replaced?.mtimeMs ?? 0);
    if (isLaterTime(this.#earliest, previous)) return;
    const time = timeAfter(previous);
    utimesSync(join(this.#stage, staged), time, time);
    this.#latest = Math.max(this.#latest, time);
  }
}
