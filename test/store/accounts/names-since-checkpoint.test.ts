import { expect, it } from 'vitest';
import type { ChangeRecord } from '../../../src/contract/record.ts';
import { checkpointOf } from '../../../src/store/accounts/names-since-checkpoint.ts';
import type { Store } from '../../../src/store/store.ts';
import { historyOf, storeOf } from '../../browse/small-site.ts';

it('a checkpoint is at most a 64th of the records old, at most 4,095 records, and stays until the next one', () => {
  const checkpoints = Array.from({ length: 40_000 }, (_, records) => checkpointOf(records));
  const isRight = (checkpoint: number, records: number) =>
    records - checkpoint <= records / 64 && checkpoint <= records && checkpoint >= (checkpoints[records - 1] ?? 0);
  expect(checkpoints.every(isRight)).toBe(true);
  // up to 128 records, each record is a checkpoint
  expect(new Set(checkpoints).size).toBeLessThan(128 + 64 * 9);
  expect([999_999, 1_000_000, 10_000_000].map(checkpointOf)).toEqual([999_424, 999_424, 9_998_336]);
});

it('the names and the numbers of records at the checkpoint are those of the store at that time', async () => {
  const first = Array.from({ length: 510 }, (_, n) => ({ account: `user_${n % 50}`, previous: null }));
  const named = [
    { account: 'user_4', data_type: 'Name', previous: null, text: 'Four' },
    { account: 'user_1', data_type: 'Name', previous: null, text: 'One' },
  ] as const;
  const newer = [
    { account: 'user_1', data_type: 'Name', previous: 512, text: 'Two' },
    { account: 'user_2', data_type: 'Name', previous: null, text: 'New' },
    // of another source
    { account: 'user_4', data_type: 'Name', previous: null, text: 'Also four' },
    { account: 'user_3' },
    { account: 'late', previous: null },
    { account: 'user_1', data_type: 'Name', previous: 513, text: 'Three' },
  ] as const;
  const storeWith = (records: readonly Partial<ChangeRecord>[]) => storeOf({ ...historyOf(records), accounts: [] });
  const before = await storeWith([...first, ...named]);
  const after = await storeWith([...first, ...named, ...newer]);
  expect([before, after].map((store) => checkpointOf(store.revision.records))).toEqual([512, 512]);
  expect(before.accountsSinceCheckpoint()).toEqual([]);
  const names = (store: Store, handle: string) => {
    const { display_name = '', records = 0 } = store.accountReader().entryOf(handle) ?? {};
    return [display_name, records];
  };
  const found = after.accountsSinceCheckpoint();
  expect(found.map(({ screen_name }) => screen_name)).toEqual(['user_1', 'late', 'user_3', 'user_4', 'user_2']);
  for (const { screen_name, display_name, older_name, older_records } of found) {
    expect([screen_name, older_name, older_records]).toEqual([screen_name, ...names(before, screen_name)]);
    expect(display_name).toBe(names(after, screen_name)[0]);
  }
  // so the lists by name and the search index are not rendered again
  expect(after.digestOfNames()).toBe(before.digestOfNames());
  const next = await storeWith([...first, ...named, ...newer, {}, {}]);
  expect(next.accountsSinceCheckpoint()).toEqual([]);
  expect(next.digestOfNames()).not.toBe(before.digestOfNames());
});
