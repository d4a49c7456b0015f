import { describe, expect, it } from 'vitest';
import { Accounts, bioOf, day, emptyBatch, profile } from './accounts.ts';

describe('the account cache', () => {
  it('stores how far each account was observed when it is flushed', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    accounts.add('ann', 7, '1');
    accounts.writer.flush();
    expect(new Accounts(batch).resolver.find(profile('ann', '1'), [], day(8))?.observed_to).toBe(day(7));
  });

  it('evicts the accounts that were not used since the last time, and stores how far they were observed', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const [ann, bob] = [accounts.add('ann', 7, '1'), accounts.add('bob', 8, '2')];
    expect(accounts.writer.evict()).toEqual([]);
    expect(accounts.resolver.find(profile('ann', '1'), [], day(9))).toBe(ann);
    expect(accounts.writer.evict()).toEqual([bob]);
    expect(accounts.resolver.find(profile('ann', '1'), [], day(9))).toBe(ann);
    const read = accounts.resolver.find(profile('bob', '2'), [], day(9));
    expect(read).not.toBe(bob);
    expect(read?.observed_to).toBe(day(8));
  });

  it('keeps the last value before the present instant and all later ones, in memory and when it reads an account', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const account = accounts.add('ann', 1);
    const add = (id: number) =>
      accounts.writer.addRecord(account, { ...bioOf('ann', id), text: String(id), first_encountered_date: `2020-01-0${id}T00:00:00Z` });
    for (const id of [1, 2, 3]) add(id);
    accounts.cache.advance(day(3));
    add(4);
    const texts = (of: typeof account | undefined) => of?.versions.Bio.map(({ text }) => text);
    expect(texts(account)).toEqual(['2', '3', '4']);
    accounts.writer.flush();
    expect(texts(accounts.resolver.find(profile('ann'), [], day(3)))).toEqual(['2', '3', '4']);
  });

  it('asks to be flushed when it holds more text than its limit', () => {
    const accounts = new Accounts(emptyBatch());
    const account = accounts.add('ann', 1);
    expect(accounts.cache.isFull).toBe(false);
    const text = 'x'.repeat(1 << 20);
    for (let id = 1; id <= 34; id += 1) accounts.writer.addRecord(account, { ...bioOf('ann', id), text });
    expect(accounts.cache.isFull).toBe(true);
    accounts.writer.flush();
    expect(accounts.cache.isFull).toBe(false);
  });
});
