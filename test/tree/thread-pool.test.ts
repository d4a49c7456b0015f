import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../src/tree/in-order.ts';
import { ThreadPool } from '../../src/tree/thread-pool.ts';

/** A thread that works for as many milliseconds as the request says, and answers with its own number; -1 ends it, and -2 is an error. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  parentPort.on('message', (milliseconds) => {
    if (milliseconds === -1) process.exit(7);
    if (milliseconds === -2) throw new RangeError('a bad request');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
    parentPort.postMessage({ milliseconds, thread: workerData.thread });
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
  it('sends a request to the thread with the fewest, and inOrder yields the answers in the order of the requests', async () => {
    const [threads, waits] = [start(2), [400, 0, 100, 0, 0]];
    const answers: Answer[] = [];
    for await (const answer of inOrder(waits, 3, (wait) => threads.ask(wait))) answers.push(answer);
    expect(answers.map(({ milliseconds }) => milliseconds)).toEqual(waits);
    expect(answers.slice(0, 3).map(({ thread }) => thread)).toEqual([0, 1, 0]);
  });

  it.each([
    ['that ends', -1, 'a thread ended early, with code 7'],
    ['that throws', -2, 'a bad request'],
  ])('rejects the requests of a thread %s, and later ones', async (_, request, message) => {
    const threads = start(1);
    expect(await threads.ask(0)).toEqual({ milliseconds: 0, thread: 0 });
    const open = [threads.ask(request), threads.ask(0)];
    for (const answer of open) await expect(answer).rejects.toThrow(message);
    await expect(threads.ask(0)).rejects.toThrow(message);
  });

  it('rejects open requests when it is closed', async () => {
    const threads = start(1);
    await threads.ask(0);
    const open = [60_000, 60_000].map(async (wait) => await threads.ask(wait).catch((error: Error) => error.message));
    await setTimeout(20);
    await threads.close();
    expect(await Promise.all(open)).toEqual(open.map(() => 'a thread ended early, with code 1'));
    await expect(threads.ask(0)).rejects.toThrow('the threads are closed');
  });
});
