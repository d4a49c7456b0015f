import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestCounter, type RetryPolicy, withRetry } from '../../src/storage/retry.ts';
import { StorageError, type StorageErrorKind } from '../../src/storage/storage-error.ts';
import type { Target, Upload } from '../../src/storage/target.ts';

type Answer = StorageErrorKind | 'done' | 'silence';

const POLICY: RetryPolicy = { attempts: 4, timeout: 10_000, signal: new AbortController().signal };
const UPLOAD: Upload = {
  bytes: new Uint8Array(1000),
  headers: { contentType: 'application/json', cacheControl: '', contentEncoding: '' },
  digest: '00'.repeat(32),
};
const NEVER = new AbortController().signal;

/** A target that gives one scripted answer for each request, and remembers the signals of its requests. */
function scripted(answers: readonly Answer[]): { readonly target: Target; readonly signals: AbortSignal[] } {
  const left = [...answers];
  const signals: AbortSignal[] = [];
  const answer = async (signal: AbortSignal): Promise<undefined> => {
    signals.push(signal);
    const next = left.shift() ?? 'done';
    if (next === 'silence') await new Promise(() => {});
    if (next !== 'done' && next !== 'silence') throw new StorageError(next, `scripted ${next}`);
    return undefined;
  };
  const target: Target = {
    name: 's3://bucket',
    prices: { write: 0, read: 0 },
    keepsHeaders: true,
    get: (_, signal) => answer(signal),
    head: (_, signal) => answer(signal),
    put: async (_, __, signal) => (await answer(signal)) ?? 'tag',
    remove: (_, signal) => answer(signal),
    renew: () => {},
    close: () => {},
  };
  return { target, signals };
}

beforeEach(() => {
  // no delay between attempts
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

describe('withRetry', () => {
  it('retries a request that failed for a moment, and counts every attempt', async () => {
    const counter = new RequestCounter();
    const target = withRetry(scripted(['transient', 'transient', 'done']).target, POLICY, counter);
    expect(await target.put('a', UPLOAD, NEVER)).toBe('tag');
    expect(counter).toMatchObject({ writes: 3, retries: 2, sent: 3000, requests: 3 });
  });

  it('fails after the given number of attempts, and names the path and the number', async () => {
    const counter = new RequestCounter();
    const target = withRetry(scripted(Array(10).fill('transient')).target, POLICY, counter);
    await expect(target.get('rest/data/index.json', NEVER)).rejects.toMatchObject({
      code: 'target-failed',
      place: { file: 'rest/data/index.json' },
      found: expect.stringContaining('4'),
    });
    expect(counter).toMatchObject({ reads: 4, retries: 3 });
  });

  it.each<[StorageErrorKind]>([['denied'], ['conflict'], ['unsupported'], ['missing'], ['refused'], ['expired'], ['anonymous']])(
    'does not retry a request that failed with %s',
    async (kind) => {
      const counter = new RequestCounter();
      const target = withRetry(scripted([kind, 'done']).target, POLICY, counter);
      await expect(target.remove('a', NEVER)).rejects.toMatchObject({ kind });
      expect(counter).toMatchObject({ deletes: 1, retries: 0 });
    },
  );

  it('retries a request that gets no answer in time, and aborts the first one', async () => {
    const counter = new RequestCounter();
    const { target, signals } = scripted(['silence', 'done']);
    await withRetry(target, { ...POLICY, timeout: 20 }, counter).head('a', NEVER);
    expect(counter).toMatchObject({ reads: 2, retries: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('starts no request after the run was told to stop', async () => {
    const stop = new AbortController();
    const counter = new RequestCounter();
    const target = withRetry(scripted([]).target, { ...POLICY, signal: stop.signal }, counter);
    stop.abort();
    await expect(target.get('a', NEVER)).rejects.toMatchObject({ code: 'stopped' });
    expect(counter.requests).toBe(0);
  });

  it('does not retry after the run was told to stop', async () => {
    const stop = new AbortController();
    const counter = new RequestCounter();
    const { target } = scripted(['transient', 'done']);
    const get: Target['get'] = (path, signal) => {
      stop.abort();
      return target.get(path, signal);
    };
    await expect(withRetry({ ...target, get }, { ...POLICY, signal: stop.signal }, counter).get('a', NEVER)).rejects.toMatchObject({
      code: 'stopped',
    });
    expect(counter.requests).toBe(1);
  });

  it('asks for permission before every attempt, and aborts an attempt whose permission ends', async () => {
    const permissions = [new AbortController(), new AbortController()];
    let asked = 0;
    const beforeAttempt = async () => {
      const permission = permissions[asked] ?? new AbortController();
      asked += 1;
      return permission.signal;
    };
    const { target, signals } = scripted(['silence', 'done']);
    const done = withRetry(target, { ...POLICY, beforeAttempt }, new RequestCounter()).get('a', NEVER);
    await vi.waitUntil(() => signals.length === 1);
    permissions[0]?.abort();
    await done;
    expect(asked).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});
