/**
 * The minimum time between two versions of a file, in milliseconds. Web servers make ETags from the size of a file and
 * its time in whole seconds, and FAT stores only even seconds.
 */
const STEP = 2000;

/** Whether a modification time is later than another on every file system and web server. Both are in milliseconds. */
export function isLaterTime(time: number, previous: number): boolean {
  return Math.floor(time / STEP) > Math.floor(previous / STEP);
}

/**
 * Returns the first modification time that is later on every file system and web server.
 * @param previous in milliseconds
 * @returns seconds, as `utimes` expects
 */
export function timeAfter(previous: number): number {
  return ((Math.floor(previous / STEP) + 1) * STEP) / 1000;
}
