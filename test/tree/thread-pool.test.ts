import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../src/tree/in-order.ts';
import { ThreadPool } from '../../src/tree/thread-pool.ts';

/** A thread that waits for as many milliseconds as the request says, and answers with its own number; it ends if that is negative. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  parentPort.on('message', (milliseconds) => {
    if (milliseconds === -1) process.exit(7);
    if (milliseconds === -2) throw new RangeError('a bad request');
    setTimeout(() => parentPort.postMessage({ milliseconds, thread: workerData.thread }), milliseconds);
  });
`;

interface Answer {
  readonly milliseconds: number;
  readonly thread: number;
}

let pool: ThreadPool<number, Answer> | undefined;
const start = (threads: number) => {
  const data = Array.from({ length: threads }, (_, thread) => ({ thread }));
  pool = new ThreadPool(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), data);
  return pool;
};
afterEach(async () => await pool?.close());

describe('ThreadPool', () => {
  it('sends a request to a thread that is idle, and answers in the order of the requests with inOrder', async () => {
    const [threads, waits] = [start(2), [300, 1, 1, 1, 1]];
    const answers: Answer[] = [];
    for await (const answer of inOrder(waits, 5, (wait) => threads.ask(wait))) answers.push(answer);
    expect(answers.map(({ milliseconds }) => milliseconds)).toEqual(waits);
    expect(new Set(answers.slice(1).map(({ thread }) => thread))).toEqual(new Set([1]));
  });

  it.each([
    ['that ends', -1, 'a thread ended early, with code 7'],
    ['that throws', -2, 'a bad request'],
  ])('rejects the request of a thread %s, and later ones if no thread is idle', async (_, request, message) => {
    const threads = start(1);
    expect(await threads.ask(0)).toEqual({ milliseconds: 0, thread: 0 });
    await expect(threads.ask(request)).rejects.toThrow(message);
    await expect(threads.ask(0)).rejects.toThrow('a thread has ended');
  });

  it('rejects open requests when it is closed', async () => {
    const threads = start(1);
    await threads.ask(0);
    const open = [60_000, 60_000].map(async (wait) => await threads.ask(wait).catch((error: Error) => error.message));
    await setTimeout(20);
    await threads.close();
    expect(await Promise.all(open)).toEqual(['a thread ended early, with code 1', 'a thread has ended']);
  });
});
