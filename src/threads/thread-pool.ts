import { type TransferListItem, Worker } from 'node:worker_threads';
import type { Pauses } from '../contract/event-loop-pauses.ts';
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
  constructor(module: URL, data: readonly unknown[], youngGenerationMb: number = YOUNG_GENERATION_MB) {
    this.#threads = data.map((workerData) => {
      const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb } });
      const thread: Thread<A> = { worker, waiting: [] };
      worker.on('message', (answer: A) => thread.waiting.shift()?.resolve(answer));
      worker.on('error', (error: unknown) => this.#end(thread, errorOfThread(error)));
      worker.on('exit', (code) => this.#end(thread, new Error(`a thread ended early, with code ${code}`)));
      return thread;
    });
  }

  get length(): number {
    return this.#threads.length;
  }

  /**
   * Sends a request to the thread that has the fewest requests.
   * @param transfer memory that is given to the thread
   * @throws the error of the thread; a Failure stays a Failure. Later requests fail too
   */
  ask(request: R, transfer: readonly TransferListItem[] = []): Promise<A> {
    const [thread] = this.#threads.toSorted((one, other) => one.waiting.length - other.waiting.length);
    return new Promise((resolve, reject) => {
      if (thread === undefined || this.#error !== undefined) return reject(this.#error ?? new Error('there are no threads'));
      thread.waiting.push({ resolve, reject });
      thread.worker.postMessage(request, transfer);
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

/** Work that is divided into requests. */
export interface Work<R, A> {
  readonly requests: Iterable<R>;
  /** The module that each thread runs. It answers undefined to a request that it leaves to the main thread. */
  readonly module: URL;
  /** The data that each thread receives, and the number of threads. */
  readonly data: object;
  readonly threads: number;
  /** Memory for the short-lived objects of each thread, in MB; by default {@link BUILD_GENERATION_MB}. */
  readonly youngGenerationMb?: number;
  /** Answers a request on the main thread. */
  readonly here: (request: R) => A;
  /** Takes each answer. With threads, their order is any. */
  readonly onAnswer: (answer: A) => void;
}

/** Memory for the short-lived objects of a thread that renders HTML, in MB. */
const BUILD_GENERATION_MB = 12;

/**
 * Does work on threads, or on the main thread if there are none. Afterwards no thread writes files.
 * @throws the error of a thread; Failure stopped
 */
export async function onThreads<R, A>(work: Work<R, A>, pauses: Pauses): Promise<void> {
  const { requests, module, data, threads, youngGenerationMb = BUILD_GENERATION_MB, here, onAnswer } = work;
  const pool = new ThreadPool<R, A | undefined>(
    module,
    Array.from({ length: threads }, () => data),
    youngGenerationMb,
  );
  const left = requests[Symbol.iterator]();
  const loop = async () => {
    for (let step = left.next(); !step.done; step = left.next()) {
      const answer = threads === 0 ? undefined : await pool.ask(step.value);
      onAnswer(answer ?? here(step.value));
      if (pauses.areDue) await pauses.take();
    }
  };
  const endOnStop = pauses.onStop(() => void pool.close());
  try {
    await Promise.all(Array.from({ length: Math.max(1, threads) }, loop));
    pauses.check();
  } catch (error) {
    pauses.check();
    throw error;
  } finally {
    endOnStop();
    await pool.close();
  }
}

/** Works on several items at a time, and yields the results in the order of the items. */
export async function* inOrder<T, R>(items: Iterable<T>, width: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  try {
    for (const item of items) {
      const result = work(item);
      // it is awaited later, and may fail before that
      result.catch(() => {});
      running.push(result);
      const first = running.length < width ? undefined : running.shift();
      if (first !== undefined) yield await first;
    }
    for (let first = running.shift(); first !== undefined; first = running.shift()) yield await first;
  } finally {
    await Promise.allSettled(running);
  }
}
