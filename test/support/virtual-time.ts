import { syncBuiltinESMExports } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/** How many turns of the event loop all other work gets before the time goes on. */
const TURNS = 20;
const STEP_MS = 100;

/**
 * Does work in this process while its timers and `performance` follow a clock of their own, which goes on by itself: minutes of waiting
 * take no time, and a busy machine changes nothing.
 */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  // modules import the functions of node:timers/promises by name
  syncBuiltinESMExports();
  let isOver = false;
  try {
    const result = work().finally(() => {
      isOver = true;
    });
    result.catch(() => {});
    while (!isOver) {
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
    return await result;
  } finally {
    vi.useRealTimers();
    syncBuiltinESMExports();
  }
}
