import { Worker } from 'node:worker_threads';
import { errorOfThread } from '../contract/thread-error.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 12;

/**
 * Runs a module in a thread until it posts a message.
 * @throws the error of the thread; a Failure stays a Failure
 */
export function inWorker(module: URL, workerData: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    worker.once('error', (error: unknown) => reject(errorOfThread(error)));
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a rendering thread ended early, with code ${code}`)));
  });
}
