/**
 * How far apart two versions of a file are at the least, in milliseconds. Web servers make ETags from a file's size and
 * time in whole seconds, and FAT keeps even seconds only.
 */
const STEP = 2000;

/** Whether a modification time is later than another wherever it is kept or compared; both in milliseconds. */
export function isLaterTime(time: number, previous: number): boolean {
  return Math.floor(time / STEP) > Math.floor(previous / STEP);
}

/** The first modification time that is later wherever it is kept or compared. In seconds, as `utimes` takes it. */
export function timeAfter(previous: number): number {
  return ((Math.floor(previous / STEP) + 1) * STEP) / 1000;
}
