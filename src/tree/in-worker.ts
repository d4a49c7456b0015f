import { Worker } from 'node:worker_threads';
import { FAILURES, Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 12;

/**
 * Runs a module in a thread until it posts a message.
 * @throws the error of the thread; a Failure stays a Failure
 */
export function inWorker(module: URL, workerData: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    worker.once('error', (error: unknown) => reject(asError(error)));
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a rendering thread ended early, with code ${code}`)));
  });
}

/** Restores an error from the other thread. If its class cannot be cloned, only its properties arrive. */
function asError(error: unknown): Error {
  if (isFailure(error)) return new Failure(error.code, error.message, { ...error, hint: error.hintParts });
  if (error instanceof Error || !isObject(error)) return error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(String(error['message'])), error);
}

/** Whether an error was a Failure in the other thread. */
function isFailure(error: unknown): error is Failure {
  return isObject(error) && typeof error['code'] === 'string' && Object.hasOwn(FAILURES, error['code']) && 'place' in error;
}
