import { describe, expect, it } from 'vitest';
import { Accounts, bioOf, day, emptyBatch, profile } from '../accounts.ts';

describe('the cache of observed accounts', () => {
  it('evicts accounts that were not used, until an eighth is free, and stores how far they were observed', () => {
    const batch = emptyBatch();
    // each account without values weighs 130 units
    const accounts = new Accounts(batch, 1040);
    const added = Array.from({ length: 10 }, (_, index) => accounts.add(`user${index}`, index + 1, String(index)));
    expect(accounts.observed.isFull).toBe(true);
    for (const id of [0, 2, 3, 4, 5, 6, 7, 8, 9]) accounts.observed.find(profile(`user${id}`, String(id)), [], day(20));
    expect(accounts.observed.evict()).toContain(added[1]);
    expect(accounts.observed.isFull).toBe(false);
    expect(accounts.observed.find(profile('user9', '9'), [], day(20))).toBe(added[9]);
    const read = accounts.observed.find(profile('user1', '1'), [], day(20));
    expect(read).not.toBe(added[1]);
    expect(read?.observed_to).toBe(day(2));
  });

  it('keeps the last value before the present instant and all later ones, in memory and when it reads an account', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const account = accounts.add('ann', 1);
    const add = (id: number) =>
      accounts.observed.addRecord(account, { ...bioOf('ann', id), text: String(id), first_encountered_date: `2020-01-0${id}T00:00:00Z` });
    for (const id of [1, 2, 3]) add(id);
    accounts.observed.now = day(3);
    add(4);
    const texts = (of: typeof account | undefined) => of?.versions.Bio.map(({ text }) => text);
    expect(texts(account)).toEqual(['2', '3', '4']);
    accounts.observed.flush();
    expect(texts(accounts.observed.find(profile('ann'), [], day(3)))).toEqual(['2', '3', '4']);
  });

  it('reads all records of an account with many', () => {
    const accounts = new Accounts(emptyBatch());
    const account = accounts.add('ann', 1);
    const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
    for (const id of ids) accounts.observed.addRecord(account, { ...bioOf('ann', id), text: String(id) });
    accounts.observed.flush();
    expect(accounts.observed.find(profile('ann'), [], day(3))?.versions.Bio.map(({ id }) => id)).toEqual(ids);
  });
});
