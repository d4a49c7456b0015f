import { type TransferListItem, Worker } from 'node:worker_threads';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the input. */
const YOUNG_GENERATION_MB = 24;

/** A thread that answers requests, in the order in which it gets them. */
export class AnsweringThread<Request, Answer> {
  readonly #worker: Worker;
  readonly #waiting: ((answer: Answer | undefined) => void)[] = [];
  #hasEnded = false;

  /** @param module the module that the thread runs. It posts an answer to each message */
  constructor(module: URL) {
    this.#worker = new Worker(module, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    this.#worker.on('message', (answer: Answer | undefined) => this.#waiting.shift()?.(answer));
    // a thread ends after an error: the caller then does the work itself, and gets the same error
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** @returns undefined if the thread cannot do the work, or has ended: the caller must do it */
  ask(request: Request, transfer: readonly TransferListItem[] = []): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve(undefined);
      this.#waiting.push(resolve);
      this.#worker.postMessage(request, transfer);
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
