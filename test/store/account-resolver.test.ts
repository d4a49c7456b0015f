import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/contract/observation.ts';
import type { Batch } from '../../src/store/batch.ts';
import { markObserved } from '../../src/store/known-account.ts';
import { Accounts, day, emptyBatch, profile } from './accounts.ts';

/** Returns the row of the account that is found, in this batch and again from the database alone. */
function rowsFound(batch: Batch, accounts: Accounts, found: Profile, formerNames: readonly string[], instant: number): unknown[] {
  accounts.writer.flush();
  return [accounts, new Accounts(batch)].map(({ resolver }) => resolver.find(found, formerNames, instant)?.row);
}

describe('the account resolver', () => {
  it('finds no account in an empty store', () => {
    const accounts = new Accounts(emptyBatch());
    expect(accounts.resolver.find(profile('ann'), [], day(1))).toBeUndefined();
    expect(accounts.resolver.find(profile('ann', '1'), ['old'], day(1))).toBeUndefined();
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
