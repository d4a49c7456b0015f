import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Pauses } from '../../src/contract/pauses.ts';

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
