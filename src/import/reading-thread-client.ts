import { Worker } from 'node:worker_threads';
import type { EncodedBatch, ReadRequest } from './encoded-batch.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the input. */
const YOUNG_GENERATION_MB = 24;

type Resolve = (batch: EncodedBatch | undefined) => void;

/** A thread that reads values. It answers in the order in which it gets them. */
export class ReadingThread {
  readonly #worker: Worker;
  readonly #waiting: Resolve[] = [];
  #hasEnded = false;

  constructor() {
    this.#worker = new Worker(new URL('./reading-thread.js', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (batch: EncodedBatch | undefined) => this.#waiting.shift()?.(batch));
    // a thread ends after an error: the caller then reads the values itself, and meets the cause of the error
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** @returns undefined if the values have an error, or if the thread has ended: the caller must read them */
  read(request: ReadRequest): Promise<EncodedBatch | undefined> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve(undefined);
      this.#waiting.push(resolve);
      this.#worker.postMessage(request);
    });
  }

  /** Ends the thread, also in the middle of its work. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}
