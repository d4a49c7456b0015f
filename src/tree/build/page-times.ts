import { type Stats, statSync, utimesSync } from 'node:fs';
import { isLaterTime, timeAfter } from '../../contract/files/file-time.ts';

/**
 * Gives each file with new bytes a modification time that no earlier version of the file had. The time is later than
 * that of the replaced file, and later than the tree's last build, because that build may have removed the file. The
 * times of the file system are enough, unless the last build was a moment ago or the clock was set back. In these cases
 * the times are ahead of the clock.
 */
export class PageTimes {
  readonly #earliest: number;
  readonly #lastBuild: number;
  #latest = 0;

  /**
   * @param earliest a time in milliseconds; no staged file has an earlier one
   * @param lastBuild the time of the tree's build record in milliseconds; 0 if there is no record
   */
  constructor(earliest: number, lastBuild: number) {
    this.#earliest = earliest;
    this.#lastBuild = lastBuild;
  }

  /** Whether even files that replace no other need a time of their own. */
  get areBehind(): boolean {
    return !isLaterTime(this.#earliest, this.#lastBuild);
  }

  /** @param found the file that the staged one replaces */
  set(staged: string, found: Stats | undefined): void {
    const previous = Math.max(this.#lastBuild, found?.mtimeMs ?? 0);
    if (isLaterTime(this.#earliest, previous)) return;
    const time = timeAfter(previous);
    utimesSync(staged, time, time);
    this.#latest = Math.max(this.#latest, time);
  }

  /** Gives the build record a time that is not earlier than that of any file. */
  setRecord(staged: string): void {
    if (statSync(staged).mtimeMs < this.#latest * 1000) utimesSync(staged, this.#latest, this.#latest);
  }
}
