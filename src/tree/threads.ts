import { Worker } from 'node:worker_threads';
import { errorOfThread } from '../contract/failure.ts';
import type { Pauses } from '../contract/pauses.ts';

/** How often progress is reported, in milliseconds. */
const REPORT_EVERY = 100;

/** Work that several threads share. */
export interface SharedWork {
  /** The module that each thread runs. */
  readonly module: URL;
  /** The data that each thread receives. There is one thread for each. */
  readonly data: readonly object[];
  /** Leaves no work, so that the threads end. Called if a thread fails, or if the build is stopped. */
  readonly clear: () => void;
  /** Reports the progress of all threads. */
  readonly report: () => void;
}

/**
 * Runs threads until all of them have ended. Afterwards no thread writes files.
 * @throws the error of a thread; Failure stopped
 */
export async function runThreads({ module, data, clear, report }: SharedWork, pauses: Pauses): Promise<void> {
  const clock = setInterval(report, REPORT_EVERY);
  const endOnStop = pauses.onStop(clear);
  const threads = data.map((each) =>
    inWorker(module, each).catch((error: unknown) => {
      clear();
      throw error;
    }),
  );
  try {
    for (const outcome of await Promise.allSettled(threads)) if (outcome.status === 'rejected') throw outcome.reason;
  } finally {
    clearInterval(clock);
    endOnStop();
  }
  pauses.check();
}

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 12;

/**
 * Runs a module in a thread until it posts a message.
 * @throws the error of the thread; a Failure stays a Failure
 */
function inWorker(module: URL, workerData: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    worker.once('error', (error: unknown) => reject(errorOfThread(error)));
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a rendering thread ended early, with code ${code}`)));
  });
}
