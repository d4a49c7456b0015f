import { expect, it } from 'vitest';
import { CredentialRefresh } from '../../src/storage/credential-refresh.ts';
import { StorageError, type StorageErrorKind } from '../../src/storage/storage-error.ts';

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
