/** The delays of a slow disk, in milliseconds per call. */
export interface Slowness {
  readonly rename?: number;
  readonly write?: number;
  readonly remove?: number;
  /** A file for which each worker thread of the program waits. */
  readonly workersWaitFor?: string;
}

/** Returns environment variables that simulate a slow disk for the program (slow-disk.js). */
export function slowDisk({ rename = 0, write = 0, remove = 0, workersWaitFor }: Slowness): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL('./slow-disk.js', import.meta.url).href}`,
    SLOW_RENAME: String(rename),
    SLOW_WRITE: String(write),
    SLOW_REMOVE: String(remove),
    ...(workersWaitFor === undefined ? {} : { WORKERS_WAIT_FOR: workersWaitFor }),
  };
}
