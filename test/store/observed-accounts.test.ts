import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/contract/observation.ts';
import type { Batch } from '../../src/store/batch.ts';
import { markObserved } from '../../src/store/known-account.ts';
import { Accounts, bioOf, day, emptyBatch, profile } from './accounts.ts';

/** Returns the row of the account that is found, in this batch and again from the database alone. */
function rowsFound(batch: Batch, accounts: Accounts, found: Profile, formerNames: readonly string[], instant: number): unknown[] {
  accounts.observed.flush();
  return [accounts, new Accounts(batch)].map(({ observed }) => observed.find(found, formerNames, instant)?.row);
}

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
    accounts.observed.advance(day(3));
    add(4);
    const texts = (of: typeof account | undefined) => of?.versions.Bio.map(({ text }) => text);
    expect(texts(account)).toEqual(['2', '3', '4']);
    accounts.observed.flush();
    expect(texts(accounts.observed.find(profile('ann'), [], day(3)))).toEqual(['2', '3', '4']);
  });

  it('asks to be flushed when it holds more text than its limit', () => {
    const accounts = new Accounts(emptyBatch());
    const account = accounts.add('ann', 1);
    expect(accounts.observed.isFull).toBe(false);
    const text = 'x'.repeat(1 << 20);
    for (let id = 1; id <= 34; id += 1) accounts.observed.addRecord(account, { ...bioOf('ann', id), text });
    expect(accounts.observed.isFull).toBe(true);
    accounts.observed.flush();
    expect(accounts.observed.isFull).toBe(false);
  });
});

describe('the search for an observed account', () => {
  it('finds no account in an empty store', () => {
    const accounts = new Accounts(emptyBatch());
    expect(accounts.observed.find(profile('ann'), [], day(1))).toBeUndefined();
    expect(accounts.observed.find(profile('ann', '1'), ['old'], day(1))).toBeUndefined();
  });

  it('finds an account by its stable id, whatever its handle is', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const { row } = accounts.add('ann', 1, '1');
    expect(rowsFound(batch, accounts, profile('other', '1'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, accounts, profile('ann', '2'), [], day(2))).toEqual([undefined, undefined]);
  });

  it('finds an account without a stable id by its handle or a former one, in upper or lower case', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const { row } = accounts.add('Ann', 1);
    expect(rowsFound(batch, accounts, profile('ANN'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, accounts, profile('ann', '1'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, accounts, profile('new', '1'), ['ann'], day(2))).toEqual([row, row]);
  });

  it('finds the account that had a handle at the time of the snapshot', () => {
    const batch = emptyBatch();
    const accounts = new Accounts(batch);
    const first = accounts.add('ann', 3, '1');
    accounts.rename(first, 'anna');
    markObserved(first, day(4), 0);
    const second = accounts.add('ann', 9, '2');
    expect(rowsFound(batch, accounts, profile('ann'), [], day(2))).toEqual([first.row, first.row]);
    expect(rowsFound(batch, accounts, profile('ann'), [], day(10))).toEqual([second.row, second.row]);
  });
});
