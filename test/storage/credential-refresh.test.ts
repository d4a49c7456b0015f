import { expect, it } from 'vitest';
import { CredentialRefresh } from '../../src/storage/credential-refresh.ts';
import { StorageError, type StorageErrorKind } from '../../src/storage/storage-error.ts';
import type { Target } from '../../src/storage/target.ts';

const { signal } = new AbortController();

/** A target with scripted answers, and the number of credential refreshes. */
function placeThat(answers: readonly (StorageErrorKind | 'done')[]): { readonly target: Target; readonly renewals: () => number } {
  const left = [...answers];
  let renewals = 0;
  const answer = async () => {
    const next = left.shift() ?? 'refused';
    if (next !== 'done') throw new StorageError(next, 'as it was told');
    return undefined;
  };
  const target: Target = {
    name: 'a place',
    prices: { write: 0, read: 0 },
    keepsHeaders: true,
    get: answer,
    head: answer,
    put: async () => (await answer()) ?? 'tag',
    remove: answer,
    renew: () => {
      renewals += 1;
    },
    close: () => {},
  };
  return { target: new CredentialRefresh(target).wrap(target), renewals: () => renewals };
}

it.each<[StorageErrorKind]>([['denied'], ['anonymous']])(
  'refreshes credentials once if a target that accepted them answers %s',
  async (kind) => {
    const { target, renewals } = placeThat(['done', kind, 'done', kind, kind]);
    await target.get('a', signal);
    await target.get('b', signal);
    expect(renewals()).toBe(1);
    await expect(target.get('c', signal)).rejects.toMatchObject({ kind });
    expect(renewals()).toBe(2);
  },
);

it.each<[StorageErrorKind]>([['denied'], ['anonymous']])('does not refresh credentials if the first answer is %s', async (kind) => {
  const { target, renewals } = placeThat([kind]);
  await expect(target.get('a', signal)).rejects.toMatchObject({ kind });
  expect(renewals()).toBe(0);
});

it('refreshes expired credentials up to three times, even for the first answer', async () => {
  const { target, renewals } = placeThat(['expired', 'expired', 'expired', 'done', 'expired', 'expired', 'expired', 'expired']);
  await target.head('a', signal);
  expect(renewals()).toBe(3);
  await expect(target.head('b', signal)).rejects.toMatchObject({ kind: 'expired' });
  expect(renewals()).toBe(6);
});

it.each<[StorageErrorKind]>([['transient'], ['conflict'], ['missing'], ['refused']])(
  'does not refresh credentials after the error %s',
  async (kind) => {
    const { target, renewals } = placeThat(['done', kind]);
    await target.remove('a', signal);
    await expect(target.remove('b', signal)).rejects.toMatchObject({ kind });
    expect(renewals()).toBe(0);
  },
);
