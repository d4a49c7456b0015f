import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Pauses } from '../../src/contract/event-loop-pauses.ts';

it('until throws after a stop, and a later error of the event is not an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  try {
    const pauses = new Pauses(AbortSignal.abort(), 'nothing was added');
    let fail: (error: Error) => void = () => {};
    const event = new Promise((_, reject) => {
      fail = reject;
    });
    await expect(pauses.until(event)).rejects.toMatchObject({ code: 'stopped' });
    fail(new Error('the threads are closed'));
    await setImmediate();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

describe('pauses', () => {
  it('are due after 50 ms of work, and not after a pause', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const pauses = new Pauses(undefined, '');
    const areDueAfter = (ms: number) => {
      now.mockReturnValue(performance.now() + ms);
      return pauses.areDue;
    };
    expect([areDueAfter(50), areDueAfter(1)]).toEqual([false, true]);
    await pauses.take();
    expect(pauses.areDue).toBe(false);
    now.mockRestore();
  });

  it('let other events happen, and end with the work when it is told to stop', async () => {
    const stop = new AbortController();
    const pauses = new Pauses(stop.signal, 'nothing was added');
    setTimeout(() => stop.abort());
    await expect(
      (async () => {
        for (;;) await pauses.take();
      })(),
    ).rejects.toMatchObject({ code: 'stopped', message: 'interrupted: nothing was added', hint: 'run the same command again' });
    expect(() => pauses.check()).toThrow('interrupted');
  });

  it.each([undefined, new AbortController().signal])('until returns what the event gives, and forgets its listener', async (signal) => {
    const pauses = new Pauses(signal, '');
    expect(await pauses.until(Promise.resolve(5))).toBe(5);
    await expect(pauses.until(Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(signal === undefined ? [] : getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('until throws as soon as the work is told to stop', async () => {
    const stop = new AbortController();
    const never = new Pauses(stop.signal, 'nothing was added').until(new Promise(() => {}));
    stop.abort();
    await expect(never).rejects.toThrow('interrupted: nothing was added');
  });

  it('call a listener until it is removed', () => {
    const stop = new AbortController();
    const pauses = new Pauses(stop.signal, '');
    const called: string[] = [];
    pauses.onStop(() => called.push('first'));
    pauses.onStop(() => called.push('second'))();
    stop.abort();
    expect(called).toEqual(['first']);
    expect(() => new Pauses(undefined, '').onStop(() => {})()).not.toThrow();
  });
});
