import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialRefresh, RequestCounter, type RetryPolicy, retry, type StorageRequest } from '../../src/storage/retry.ts';
import { StorageError, type StorageErrorKind } from '../../src/storage/storage-error.ts';
import { inVirtualTime } from '../support/virtual-time.ts';

type Answer = StorageErrorKind | 'done' | 'silence';

const POLICY: RetryPolicy = { attempts: 4, timeout: 10_000, signal: undefined, kept: '' };

/** A request that gets one scripted answer for each attempt, and remembers the signals of its attempts. */
function scripted(
  answers: readonly Answer[],
  what: Partial<StorageRequest<string>> = {},
): { readonly request: StorageRequest<string>; readonly signals: AbortSignal[] } {
  const left = [...answers];
  const signals: AbortSignal[] = [];
  const send = async (signal: AbortSignal) => {
    signals.push(signal);
    const next = left.shift() ?? 'done';
    if (next === 'silence') await new Promise(() => {});
    if (next !== 'done' && next !== 'silence') throw new StorageError(next, `scripted ${next}`);
    return 'an answer';
  };
  return { request: { kind: 'reads', bytes: 0, send, ...what }, signals };
}

beforeEach(() => {
  // no delay between attempts
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

describe('retry', () => {
  it('retries a request that failed for a moment, and counts every attempt', async () => {
    const counter = new RequestCounter();
    const { request } = scripted(['transient', 'transient', 'done'], { kind: 'writes', bytes: 1000 });
    expect(await retry(request, POLICY, counter)).toBe('an answer');
    expect(counter).toMatchObject({ writes: 3, retries: 2, sent: 3000, requests: 3 });
  });

  it('fails after the given number of attempts, and names the number', async () => {
    const counter = new RequestCounter();
    const { request } = scripted(Array(10).fill('transient'));
    await expect(retry(request, POLICY, counter)).rejects.toMatchObject({
      kind: 'transient',
      message: 'scripted transient (tried 4 times)',
    });
    expect(counter).toMatchObject({ reads: 4, retries: 3 });
  });

  it.each<[StorageErrorKind]>([['denied'], ['conflict'], ['unsupported'], ['missing'], ['refused'], ['expired'], ['anonymous']])(
    'does not retry a request that failed with %s',
    async (kind) => {
      const counter = new RequestCounter();
      const { request } = scripted([kind, 'done'], { kind: 'deletes' });
      await expect(retry(request, POLICY, counter)).rejects.toMatchObject({ kind });
      expect(counter).toMatchObject({ deletes: 1, retries: 0 });
    },
  );

  it('retries a request that gets no answer in time, and aborts the first one', async () => {
    const counter = new RequestCounter();
    const { request, signals } = scripted(['silence', 'done']);
    await inVirtualTime(() => retry(request, POLICY, counter));
    expect(counter).toMatchObject({ reads: 2, retries: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('does not retry after the run was told to stop', async () => {
    const stop = new AbortController();
    const counter = new RequestCounter();
    const { request } = scripted(['transient', 'done']);
    const send = (signal: AbortSignal) => {
      stop.abort();
      return request.send(signal);
    };
    await expect(retry({ ...request, send }, { ...POLICY, signal: stop.signal }, counter)).rejects.toMatchObject({ code: 'stopped' });
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
    const { request, signals } = scripted(['silence', 'done']);
    const done = retry(request, { ...POLICY, beforeAttempt }, new RequestCounter());
    await vi.waitUntil(() => signals.length === 1);
    permissions[0]?.abort();
    await done;
    expect(asked).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

/** Requests to a target with scripted answers, and the number of credential refreshes. */
function placeThat(answers: readonly (StorageErrorKind | 'done')[]): {
  readonly request: () => Promise<void>;
  readonly renewals: () => number;
} {
  const left = [...answers];
  let renewals = 0;
  const credentials = new CredentialRefresh({
    renew: () => {
      renewals += 1;
    },
  });
  const answer = async () => {
    const next = left.shift() ?? 'refused';
    if (next !== 'done') throw new StorageError(next, 'as it was told');
  };
  return { request: () => credentials.request(answer), renewals: () => renewals };
}

describe('new credentials', () => {
  it.each<[StorageErrorKind]>([['denied'], ['anonymous']])(
    'refreshes credentials once if a target that accepted them answers %s',
    async (kind) => {
      const { request, renewals } = placeThat(['done', kind, 'done', kind, kind]);
      await request();
      await request();
      expect(renewals()).toBe(1);
      await expect(request()).rejects.toMatchObject({ kind });
      expect(renewals()).toBe(2);
    },
  );

  it.each<[StorageErrorKind]>([['denied'], ['anonymous']])('does not refresh credentials if the first answer is %s', async (kind) => {
    const { request, renewals } = placeThat([kind]);
    await expect(request()).rejects.toMatchObject({ kind });
    expect(renewals()).toBe(0);
  });

  it('refreshes expired credentials up to three times, even for the first answer', async () => {
    const { request, renewals } = placeThat(['expired', 'expired', 'expired', 'done', 'expired', 'expired', 'expired', 'expired']);
    await request();
    expect(renewals()).toBe(3);
    await expect(request()).rejects.toMatchObject({ kind: 'expired' });
    expect(renewals()).toBe(6);
  });

  it.each<[StorageErrorKind]>([['transient'], ['conflict'], ['missing'], ['refused']])(
    'does not refresh credentials after the error %s',
    async (kind) => {
      const { request, renewals } = placeThat(['done', kind]);
      await request();
      await expect(request()).rejects.toMatchObject({ kind });
      expect(renewals()).toBe(0);
    },
  );
});
