import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { contentsOf, observe } from '../../support/snapshots.ts';

const account = { acct: 'mira@social.example', id: '1', display_name: 'Mira', note: 'Maps.', avatar: 'https://social.example/mira.png' };
const empty = { ...account, display_name: '', note: '', avatar: 'https://social.example/missing.png' };
const created_at = '2010-11-29T21:18:15Z';
const user = { id_str: '7', screen_name: 'tove', created_at, name: 'Tove', description: 'Rivers.', url: 'https://tove.example' };

it.each([
  ['suspended account of Mastodon', account, { ...empty, suspended: true }],
  ['deactivated account of Pleroma', account, { ...empty, pleroma: { deactivated: true } }],
  ['suspended user of Twitter', user, { id_str: '7', screen_name: 'tove', name: '', created_at, suspended: true }],
])('the empty fields of a %s are unknown, and the summary counts it', async (_, before, suspended) => {
  const store = join(temporaryFolder(), 'store.db');
  await observe(store, [{ ...before, observed_at: '2024-05-01T00:00:00Z' }]);
  const known = contentsOf(store);
  const summary = await observe(store, [{ ...suspended, observed_at: '2024-05-02T00:00:00Z' }]);
  expect(summary).toMatchObject({ suspended: 1, unchanged: 1 });
  expect(contentsOf(store).feed).toEqual(known.feed);
  expect(contentsOf(store).accounts[0]?.['profile_image_url']).toBe(known.accounts[0]?.['profile_image_url']);
});

it('an emptied account that is limited or has moved is emptied', async () => {
  const store = join(temporaryFolder(), 'store.db');
  await observe(store, [{ ...account, observed_at: '2024-05-01T00:00:00Z' }]);
  const summary = await observe(store, [
    { ...empty, limited: true, moved: account, suspended: false, observed_at: '2024-05-02T00:00:00Z' },
  ]);
  expect(summary).toMatchObject({ suspended: 0, records: { Name: 1, Bio: 1 } });
});
