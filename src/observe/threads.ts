import { Worker } from 'node:worker_threads';
import { Failure } from '../contract/failure.ts';
import { errorOfThread } from '../contract/thread-error.ts';
import type { FoldedRows } from './partition-fold.ts';
import type { FlushRequest, FoldRequest, ReadAnswer, ReadRequest, ThreadJob, ThreadRequest } from './thread-messages.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the input. */
const YOUNG_GENERATION_MB = 24;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** The answer to a message of {@link Threads.ask}. */
interface Answer {
  readonly number: number;
  readonly result: never;
}

/** The threads of a run. Each answers its requests in the order in which it gets them. */
export class Threads {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;
  #error: Error | undefined;

  constructor(jobs: readonly ThreadJob[]) {
    this.#workers = jobs.map((workerData) => {
      const worker = new Worker(new URL('./thread.js', import.meta.url), {
        workerData,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      });
      worker.on('message', ({ number, result }: Answer) => {
        this.#waiting.get(number)?.resolve(result);
        this.#waiting.delete(number);
      });
      worker.on('error', (error: unknown) => this.#fail(isOutOfMemory(error) ? endedEarly(error.message) : errorOfThread(error)));
      worker.on('exit', (code) => this.#fail(endedEarly(`a thread that ended with code ${code}`)));
      return worker;
    });
  }

  get length(): number {
    return this.#workers.length;
  }

  /**
   * Sends a request to a thread.
   * @throws the first error of any thread
   */
  ask(thread: number, request: ReadRequest, transferred?: readonly ArrayBuffer[]): Promise<ReadAnswer>;
  ask(thread: number, request: FoldRequest, transferred?: readonly ArrayBuffer[]): Promise<FoldedRows>;
  ask(thread: number, request: FlushRequest, transferred?: readonly ArrayBuffer[]): Promise<undefined>;
  ask(thread: number, request: ThreadRequest, transferred: readonly ArrayBuffer[] = []): Promise<unknown> {
    const answer = new Promise<unknown>((resolve, reject) => {
      if (this.#error !== undefined) return reject(this.#error);
      this.#requests += 1;
      this.#waiting.set(this.#requests, { resolve, reject });
      this.#workers[thread]?.postMessage({ number: this.#requests, request }, transferred);
    });
    // the caller may await several answers one after another: no error is lost, because every answer gets it
    answer.catch(() => {});
    return answer;
  }

  /** Ends all threads, also in the middle of their work. */
  async close(): Promise<void> {
    this.#error ??= new Error('the threads are closed');
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    this.#waiting.clear();
  }

  #fail(error: Error): void {
    this.#error ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#error);
    this.#waiting.clear();
  }
}

function isOutOfMemory(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function endedEarly(found: string): Failure {
  return new Failure('thread-failed', 'a thread ended early', {
    found,
    hint: 'run the command again with --jobs 1; the store is unchanged',
  });
}
