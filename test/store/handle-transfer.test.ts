import { describe, expect, it } from 'vitest';
import { Accounts, bioOf, day, emptyBatch, profile } from './accounts.ts';

describe('a handle transfer', () => {
  it('takes a handle away from the account that lost it, and names that account by its stable id', () => {
    const accounts = new Accounts(emptyBatch());
    const first = accounts.add('ann', 1, '1');
    const second = accounts.add('ann', 2, '2');
    const third = accounts.add('bob', 2);
    accounts.rename(third, 'ann');
    expect([first, second, third].map(({ identity }) => identity.screen_name)).toEqual(['ann~1', 'ann~2', 'ann']);
  });

  it('gives two accounts without a stable id different names when both lost one handle', () => {
    const accounts = new Accounts(emptyBatch());
    const former = [1, 2, 3].map((number) => accounts.add('ann', number));
    expect(former.map(({ identity }) => identity.screen_name)).toEqual(['ann~former', 'ann~former~', 'ann']);
  });

  it('does not give a handle back to an account whose snapshot is older than that of the present holder', () => {
    const accounts = new Accounts(emptyBatch());
    const holder = accounts.add('ann', 5, '2');
    expect(accounts.handles.nameAt(profile('ann', '1'), day(4), undefined)).toBe('ann~1');
    expect(accounts.handles.nameAt(profile('ann', '1'), day(6), undefined)).toBe('ann');
    expect(accounts.handles.nameAt(profile('ann', '2'), day(4), holder)).toBe('ann');
  });

  it('writes the new handle into every record of a renamed account', async () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const account = accounts.add('ann', 1);
    for (const id of [1, 2]) accounts.observed.addRecord(account, bioOf('ann', id));
    expect(accounts.rename(account, 'anna')).toBe(true);
    expect(accounts.rename(account, 'anna')).toBe(false);
    const records = batch.database.prepare<[], { account: string }>('SELECT account FROM record').all();
    expect(records).toEqual([{ account: 'anna' }, { account: 'anna' }]);
    await batch.commit();
  });
});
