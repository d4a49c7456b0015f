import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openRemote, type Remote } from '../../src/storage/remote.ts';
import { StorageError, type StorageErrorKind, storageErrorKind } from '../../src/storage/storage-error.ts';
import type { Target, Upload } from '../../src/storage/target.ts';

const UPLOAD: Upload = {
  bytes: new Uint8Array(1000),
  headers: { contentType: 'application/json', cacheControl: '', contentEncoding: '' },
  digest: '00'.repeat(32),
};

/** A target with scripted answers to all requests, as a remote, and the number of credential refreshes. */
function scripted(
  answers: readonly (StorageErrorKind | 'done' | Error)[],
  signal: AbortSignal = new AbortController().signal,
): { readonly remote: Remote; readonly renewals: () => number } {
  const left = [...answers];
  let renewals = 0;
  const answer = async () => {
    const next = left.shift() ?? 'done';
    if (next instanceof Error) throw next;
    if (next !== 'done') throw new StorageError(next, `scripted ${next}`);
    return undefined;
  };
  const target: Target = {
    name: 's3://bucket',
    prices: { write: 1, read: 2 },
    keepsHeaders: true,
    keepsDeleted: false,
    get: answer,
    list: async () => (await answer()) ?? { objects: [], next: undefined },
    head: answer,
    put: async () => (await answer()) ?? 'tag',
    beginParts: () => Promise.reject(new Error('no parts')),
    remove: answer,
    renew: () => {
      renewals += 1;
    },
    close: () => {},
  };
  return {
    remote: openRemote(target, { concurrency: 1, retryPolicy: { attempts: 4, timeout: 10_000 }, signal }),
    renewals: () => renewals,
  };
}

const REQUESTS: readonly (readonly [string, (remote: Remote) => Promise<unknown>])[] = [
  ['get', (remote) => remote.get('a/path')],
  ['head', (remote) => remote.head('a/path')],
  ['put', (remote) => remote.put('a/path', UPLOAD, 'absent')],
  ['remove', (remote) => remote.remove('a/path')],
];

beforeEach(() => {
  // no delay between attempts
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

describe('a remote', () => {
  it.each(REQUESTS)('converts every error of %s to a Failure with the path, and keeps its kind', async (_, request) => {
    for (const kind of ['denied', 'anonymous', 'expired'] as const) {
      const failed: unknown = await request(scripted(Array(10).fill(kind)).remote).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'target-denied', place: { file: 'a/path' }, found: `scripted ${kind}` });
      expect(storageErrorKind(failed)).toBe(kind);
    }
    for (const kind of ['conflict', 'unsupported', 'missing', 'refused'] as const) {
      const failed: unknown = await request(scripted([kind]).remote).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'target-failed', place: { file: 'a/path' }, found: `scripted ${kind}` });
      expect(storageErrorKind(failed)).toBe(kind);
    }
    const tired: unknown = await request(scripted(Array(10).fill('transient')).remote).catch((error: unknown) => error);
    expect(tired).toMatchObject({ code: 'target-failed', place: { file: 'a/path' }, found: 'scripted transient (tried 4 times)' });
  });

  it.each(REQUESTS)('throws any other error of %s unchanged', async (_, request) => {
    const error = new TypeError('a defect');
    await expect(request(scripted([error]).remote)).rejects.toBe(error);
    expect(storageErrorKind(error)).toBeUndefined();
  });

  it('shares the credentials and the counter with itself under another policy', async () => {
    const { remote, renewals } = scripted(['done', 'denied', 'done', 'transient', 'transient']);
    await remote.get('a');
    const other = remote.with({ attempts: 1 });
    // the store has accepted the credentials of the first request
    await other.get('b');
    expect(renewals()).toBe(1);
    await expect(other.get('c')).rejects.toMatchObject({ code: 'target-failed', found: 'scripted transient' });
    await remote.get('d');
    expect(remote.traffic.requests).toBe(6);
    expect(other.traffic).toBe(remote.traffic);
  });

  it('starts no request after a stop, except under a policy without a signal', async () => {
    const { remote } = scripted([], AbortSignal.abort());
    await expect(remote.get('a')).rejects.toMatchObject({ code: 'stopped', message: 'interrupted: nothing was changed' });
    await remote.with({ signal: undefined }).get('a');
    expect(remote.traffic.requests).toBe(1);
  });
});
