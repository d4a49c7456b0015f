import { Worker } from 'node:worker_threads';
import { errorOfThread } from '../contract/failure.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 24;

interface Thread<A> {
  readonly worker: Worker;
  /** The promises of its answers, in the order of the requests. */
  readonly waiting: { readonly resolve: (answer: A) => void; readonly reject: (error: Error) => void }[];
}

/** Threads that run the same module. Each posts one message as the answer to each request, in their order. */
export class ThreadPool<R, A> {
  readonly #threads: readonly Thread<A>[];
  /** Why there are no more answers. */
  #error: Error | undefined;

  /** @param data the data that each thread receives. There is one thread for each */
  constructor(module: URL, data: readonly object[]) {
    this.#threads = data.map((workerData) => {
      const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
      const thread: Thread<A> = { worker, waiting: [] };
      worker.on('message', (answer: A) => thread.waiting.shift()?.resolve(answer));
      worker.on('error', (error: unknown) => this.#end(thread, errorOfThread(error)));
      worker.on('exit', (code) => this.#end(thread, new Error(`a thread ended early, with code ${code}`)));
      return thread;
    });
  }

  /** The number of threads. */
  get length(): number {
    return this.#threads.length;
  }

  /**
   * Sends a request to the thread that has the fewest requests.
   * @throws the error of the thread; a Failure stays a Failure. Later requests fail too
   */
  ask(request: R): Promise<A> {
    const [thread] = this.#threads.toSorted((one, other) => one.waiting.length - other.waiting.length);
    return new Promise((resolve, reject) => {
      if (thread === undefined || this.#error !== undefined) return reject(this.#error ?? new Error('there are no threads'));
      thread.waiting.push({ resolve, reject });
      thread.worker.postMessage(request);
    });
  }

  /** Ends all threads, also in the middle of their work. */
  async close(): Promise<void> {
    this.#error ??= new Error('the threads are closed');
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #end({ waiting }: Thread<A>, error: Error): void {
    this.#error ??= error;
    for (const { reject } of waiting.splice(0)) reject(error);
  }
}
