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
