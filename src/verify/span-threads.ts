import { Worker } from 'node:worker_threads';
import type { CollectionSpan, SpanAnswer, SpanJob } from './span-messages.ts';

/** Memory for a thread's short-lived objects, in MB. Without a limit it grows with the number of pages. */
const YOUNG_GENERATION_MB = 24;

/** Threads that check spans of pages. */
export class SpanThreads {
  readonly #workers: readonly Worker[];
  readonly #ended = new Set<Worker>();

  constructor(jobs: readonly SpanJob[]) {
    this.#workers = jobs.map((workerData) => {
      const worker = new Worker(new URL('./span-thread.js', import.meta.url), {
        workerData,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      });
      // a thread ends after an error: the caller then walks the tree itself, and meets the cause of the error
      worker.on('error', () => {});
      worker.on('exit', () => this.#ended.add(worker));
      return worker;
    });
  }

  /**
   * Checks spans. Each thread takes the next span when it is free.
   * @param onAnswer called with each answer, in the order of the spans. Returns whether to go on
   * @returns whether all spans were checked, and keep every rule
   */
  async check(spans: readonly CollectionSpan[], onAnswer: (answer: SpanAnswer) => boolean): Promise<boolean> {
    const early = new Map<number, SpanAnswer>();
    let [next, answered, isGood] = [0, 0, this.#workers.length > 0];
    const work = async (worker: Worker) => {
      for (let number = next++; isGood && number < spans.length; number = next++) {
        const answer = await this.#ask(worker, spans[number]);
        if (answer === undefined) isGood = false;
        else early.set(number, answer);
        for (let first = early.get(answered); isGood && first !== undefined; first = early.get(answered)) {
          early.delete(answered);
          answered += 1;
          isGood = onAnswer(first);
        }
      }
    };
    await Promise.all(this.#workers.map(work));
    return isGood;
  }

  /** Ends all threads, also in the middle of their work. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /**
   * Sends a span to a thread, and waits for the answer.
   * @returns undefined if the pages break a rule, or if the thread has ended
   */
  #ask(worker: Worker, span: CollectionSpan | undefined): Promise<SpanAnswer | undefined> {
    return new Promise((resolve) => {
      const fail = () => end(undefined);
      const end = (answer: SpanAnswer | undefined) => {
        worker.off('message', end).off('exit', fail);
        resolve(answer);
      };
      if (this.#ended.has(worker)) return resolve(undefined);
      worker.once('message', end).once('exit', fail).postMessage(span);
    });
  }
}
