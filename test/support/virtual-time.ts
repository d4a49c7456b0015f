import { webcrypto } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import promises, { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/** How many turns of the event loop without other work there are before the time goes on. */
const IDLE_TURNS = 5;
/** More than the threads of Node.js: work that waits before these has begun. */
const THREADS = 8;
/** The waiting of node:timers/promises, which the fake timers of Vitest leave as it is. */
const real = promises.setTimeout;

/**
 * Does work in this process while its timers and `performance` follow a clock of their own. That clock goes on to the next timer when
 * nothing else is left to do: minutes of waiting take a moment, and a busy machine changes nothing.
 */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  setWait(virtual as typeof real);
  let isOver = false;
  try {
    const result = work().finally(() => {
      isOver = true;
    });
    result.catch(() => {});
    for (let turns = 0; !isOver; ) {
      await setImmediate();
      turns = isBusy() ? 0 : turns + 1;
      if (turns < IDLE_TURNS) continue;
      turns = 0;
      await threadsAreIdle();
      if (!isBusy()) await vi.advanceTimersToNextTimerAsync();
    }
    return await result;
  } finally {
    vi.useRealTimers();
    setWait(real);
  }
}

/** Whether files are read or written, or `setImmediate` waits for its turn. */
function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|Immediate)/.test(name));
}

/** Waits for what Node.js computes on other threads, such as digests, which is not in the list of active resources. */
async function threadsAreIdle(): Promise<void> {
  await Promise.all(Array.from({ length: THREADS }, () => webcrypto.subtle.digest('SHA-256', new Uint8Array())));
  await setImmediate();
}

function virtual<T>(milliseconds: number, value: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(value), milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(new Error('the wait was aborted'));
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

function setWait(wait: typeof real): void {
  Object.assign(promises, { setTimeout: wait });
  // modules import it by name
  syncBuiltinESMExports();
}
