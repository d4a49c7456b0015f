import { type Stats, statSync, utimesSync } from 'node:fs';
import { isLaterTime, timeAfter } from '../contract/file-time.ts';

/**
 * Gives each file with new bytes a modification time that no earlier version of it had: later than the file it
 * replaces, and later than the tree's last build, which may have removed the file. A file system's own times do, unless
 * the last build was a moment ago or the clock was set back: then they run ahead of the clock.
 */
export class PageTimes {
  readonly #earliest: number;
  readonly #lastBuild: number;
  #latest = 0;

  /**
   * @param earliest no staged file has an earlier time, in milliseconds
   * @param lastBuild when the tree's build record was written; 0 where there is none
   */
  constructor(earliest: number, lastBuild: number) {
    this.#earliest = earliest;
    this.#lastBuild = lastBuild;
  }

  /** @param found the file that the staged one replaces */
  set(staged: string, found: Stats | undefined): void {
    const previous = Math.max(this.#lastBuild, found?.mtimeMs ?? 0);
    if (isLaterTime(this.#earliest, previous)) return;
    const time = timeAfter(previous);
    utimesSync(staged, time, time);
    this.#latest = Math.max(this.#latest, time);
  }

  /** Gives the build record a time that is no earlier than that of any file. */
  setRecord(staged: string): void {
    if (statSync(staged).mtimeMs < this.#latest * 1000) utimesSync(staged, this.#latest, this.#latest);
  }
}
