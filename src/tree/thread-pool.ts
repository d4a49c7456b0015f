import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { errorOfThread } from '../contract/thread-error.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 24;

interface Thread<A> {
  readonly worker: Worker;
  /** The promise of its answer. */
  waiting?: { readonly resolve: (answer: A) => void; readonly reject: (error: Error) => void };
}

/** Threads that run the same module. Each gets one request at a time, and posts one message as the answer. */
export class ThreadPool<R, A> {
  readonly #threads: readonly Thread<A>[];
  readonly #idle: Set<Thread<A>>;
  readonly #limit: ReturnType<typeof pLimit>;

  /** @param data the data that each thread receives. There is one thread for each */
  constructor(module: URL, data: readonly object[]) {
    this.#threads = data.map((each) => this.#start(module, each));
    this.#idle = new Set(this.#threads);
    this.#limit = pLimit(Math.max(1, data.length));
  }

  /** The number of threads. */
  get length(): number {
    return this.#threads.length;
  }

  /**
   * Sends a request to the next thread that is idle.
   * @throws the error of the thread; a Failure stays a Failure. The thread has ended then
   */
  async ask(request: R): Promise<A> {
    return await this.#limit(async () => {
      const [thread] = this.#idle;
      if (thread === undefined) throw new Error('a thread has ended');
      this.#idle.delete(thread);
      const answer = await new Promise<A>((resolve, reject) => {
        thread.waiting = { resolve, reject };
        thread.worker.postMessage(request);
      });
      this.#idle.add(thread);
      return answer;
    });
  }

  /** Ends all threads, also in the middle of their work. */
  async close(): Promise<void> {
    this.#idle.clear();
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(module: URL, workerData: object): Thread<A> {
    const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    const thread: Thread<A> = { worker };
    worker.on('message', (answer: A) => thread.waiting?.resolve(answer));
    worker.on('error', (error: unknown) => thread.waiting?.reject(errorOfThread(error)));
    worker.on('exit', (code) => {
      this.#idle.delete(thread);
      thread.waiting?.reject(new Error(`a thread ended early, with code ${code}`));
    });
    return thread;
  }
}
