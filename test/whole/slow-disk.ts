/** How much slower a disk is to seem, in milliseconds a call. */
export interface Slowness {
  readonly rename?: number;
  readonly write?: number;
  /** A file without which no worker thread of the program goes on. */
  readonly workersWaitFor?: string;
}

/** The environment in which the program finds a slow disk (slow-disk.js). */
export function slowDisk({ rename = 0, write = 0, workersWaitFor }: Slowness): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL('./slow-disk.js', import.meta.url).href}`,
    SLOW_RENAME: String(rename),
    SLOW_WRITE: String(write),
    ...(workersWaitFor === undefined ? {} : { WORKERS_WAIT_FOR: workersWaitFor }),
  };
}
