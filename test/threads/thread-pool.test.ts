import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Pauses } from '../../src/contract/event-loop-pauses.ts';
import { inOrder, onThreads, ThreadPool } from '../../src/threads/thread-pool.ts';

/** A thread that waits until the gate of a request is open, and answers with its own number; -1 ends it, -2 is an error, and -3 is left to others. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { gates, thread } = workerData;
  parentPort.on('message', (request) => {
    if (request === -3) return parentPort.postMessage(undefined);
    if (request === -1) process.exit(7);
    if (request === -2) throw new RangeError('a bad request');
    Atomics.compareExchange(gates, request, 0, 2);
    Atomics.wait(gates, request, 2);
    parentPort.postMessage({ request, thread });
  });
`;
/** The states of a gate, besides 0 before its request. */
const [OPEN, WAITING] = [1, 2];

interface Answer {
  readonly request: number;
  readonly thread: number;
}

let pool: ThreadPool<number, Answer> | undefined;
afterEach(async () => await pool?.close());

/** Starts threads, and closes the gates of some requests. */
function start(threads: number, closed: readonly number[] = []) {
  const gates = new Int32Array(new SharedArrayBuffer(32)).fill(OPEN);
  for (const request of closed) gates[request] = 0;
  const data = Array.from({ length: threads }, (_, thread) => ({ thread, gates }));
  pool = new ThreadPool(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), data);
  return { pool, gates };
}

describe('ThreadPool', () => {
  it('sends a request to the thread with the fewest, and inOrder yields the answers in the order of the requests', async () => {
    const { pool, gates } = start(2, [0]);
    const ask = async (request: number) => {
      const answer = await pool.ask(request);
      // the first request is answered after the second
      if (request === 1) Atomics.store(gates, 0, OPEN);
      Atomics.notify(gates, 0);
      return answer;
    };
    const answers: Answer[] = [];
    for await (const answer of inOrder([0, 1, 2, 3, 4], 3, ask)) answers.push(answer);
    expect(answers.map(({ request }) => request)).toEqual([0, 1, 2, 3, 4]);
    expect(answers.slice(0, 3).map(({ thread }) => thread)).toEqual([0, 1, 0]);
  });

  it.each([
    ['that ends', -1, 'a thread ended early, with code 7'],
    ['that throws', -2, 'a bad request'],
  ])('rejects the requests of a thread %s, and later ones', async (_, request, message) => {
    const { pool } = start(1);
    expect(await pool.ask(0)).toEqual({ request: 0, thread: 0 });
    const open = [pool.ask(request), pool.ask(0)];
    for (const answer of open) await expect(answer).rejects.toThrow(message);
    await expect(pool.ask(0)).rejects.toThrow(message);
  });

  it('rejects open requests when it is closed in the middle of one', async () => {
    const { pool, gates } = start(1, [1, 2]);
    const open = [1, 2].map(async (request) => await pool.ask(request).catch((error: Error) => error.message));
    while (Atomics.load(gates, 1) !== WAITING) await setImmediate();
    await pool.close();
    expect(await Promise.all(open)).toEqual(open.map(() => 'a thread ended early, with code 1'));
    await expect(pool.ask(0)).rejects.toThrow('the threads are closed');
  });
});

describe('onThreads', () => {
  const gates = new Int32Array(new SharedArrayBuffer(32)).fill(OPEN);
  const options = { module: new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), data: { thread: 0, gates } };

  async function answersTo(requests: readonly number[], threads: number, signal?: AbortSignal) {
    const answers: Answer[] = [];
    const here = (request: number) => ({ request, thread: -1 });
    const onAnswer = (answer: Answer) => void answers.push(answer);
    await onThreads({ ...options, requests, threads, here, onAnswer }, new Pauses(signal, 'nothing was changed'));
    return answers.toSorted((one, other) => one.request - other.request);
  }

  it('answers all requests on threads, and here what they leave', async () => {
    const all = [0, 1, 2].map((request) => ({ request, thread: 0 }));
    expect(await answersTo([2, -3, 1, 0], 2)).toEqual([{ request: -3, thread: -1 }, ...all]);
    expect(await answersTo([1, 0], 0)).toEqual([0, 1].map((request) => ({ request, thread: -1 })));
  });

  it('ends with the error of a thread, and when it is told to stop', async () => {
    await expect(answersTo([0, -2, 1], 2)).rejects.toThrow('a bad request');
    gates[3] = 0;
    await expect(answersTo([3, 1], 2, AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'stopped' });
  });
});
