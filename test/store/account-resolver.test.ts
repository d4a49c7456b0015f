import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseInstant } from '../../src/contract/instant.ts';
import type { Profile } from '../../src/contract/observation.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { AccountResolver } from '../../src/store/account-resolver.ts';
import { Batch } from '../../src/store/batch.ts';
import { type KnownAccount, markObserved } from '../../src/store/known-account.ts';
import { temporaryFolder } from '../support/folder.ts';

/** An instant on a day of January 2020. */
const day = (number: number) => parseInstant(`2020-01-${String(number).padStart(2, '0')}T00:00:00Z`) ?? 0;
const UNKNOWN = {
  display_name: undefined,
  bio: undefined,
  location: undefined,
  website: undefined,
  verified: undefined,
  profile_image_url: undefined,
  account_creation_date: undefined,
};
const profile = (screen_name: string, id?: string): Profile => ({ ...UNKNOWN, screen_name, id });

/** A batch on an empty store, which is rolled back when the test ends. */
function emptyBatch(): Batch {
  const batch = new Batch(join(temporaryFolder(), 'store.db'), 'by account');
  onTestFinished(() => batch.end());
  return batch;
}

/** Adds an account that was last observed on a day. */
function added(resolver: AccountResolver, name: string, observed: number, id?: string): KnownAccount {
  const account = resolver.add(name);
  if (id !== undefined) resolver.setStableId(account, id);
  markObserved(account, day(observed), 0);
  return account;
}

function bioOf(account: string, id: number): ChangeRecord {
  const first_encountered_date = '2020-01-01T00:00:00Z';
  return { id, account, data_type: 'Bio', previous: null, text: 'a', first_encountered_date, diff_html: '', web_archive_url: null };
}

const rename = (resolver: AccountResolver, account: KnownAccount, screen_name: string) =>
  resolver.setIdentity(account, { ...account.identity, screen_name });

/** The row of the account that is found, in this batch and again from the database alone. */
function rowsFound(batch: Batch, resolver: AccountResolver, found: Profile, formerNames: readonly string[], moment: number): unknown[] {
  resolver.flush();
  return [resolver, new AccountResolver(batch)].map((one) => one.find(found, formerNames, moment)?.row);
}

describe('the account resolver', () => {
  it('finds no account in an empty store', () => {
    const resolver = new AccountResolver(emptyBatch());
    expect(resolver.find(profile('ann'), [], day(1))).toBeUndefined();
    expect(resolver.find(profile('ann', '1'), ['old'], day(1))).toBeUndefined();
  });

  it('finds an account by its stable id, whatever its handle is', () => {
    const batch = emptyBatch();
    const resolver = new AccountResolver(batch);
    const { row } = added(resolver, 'ann', 1, '1');
    expect(rowsFound(batch, resolver, profile('other', '1'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, resolver, profile('ann', '2'), [], day(2))).toEqual([undefined, undefined]);
  });

  it('finds an account without a stable id by its handle or a former one, in upper or lower case', () => {
    const batch = emptyBatch();
    const resolver = new AccountResolver(batch);
    const { row } = added(resolver, 'Ann', 1);
    expect(rowsFound(batch, resolver, profile('ANN'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, resolver, profile('ann', '1'), [], day(2))).toEqual([row, row]);
    expect(rowsFound(batch, resolver, profile('new', '1'), ['ann'], day(2))).toEqual([row, row]);
  });

  it('finds the account that had a handle at the time of the snapshot', () => {
    const batch = emptyBatch();
    const resolver = new AccountResolver(batch);
    const first = added(resolver, 'ann', 3, '1');
    rename(resolver, first, 'anna');
    markObserved(first, day(4), 0);
    const second = added(resolver, 'ann', 9, '2');
    expect(rowsFound(batch, resolver, profile('ann'), [], day(2))).toEqual([first.row, first.row]);
    expect(rowsFound(batch, resolver, profile('ann'), [], day(10))).toEqual([second.row, second.row]);
  });

  it('takes a handle away from the account that lost it, and names that account by its stable id', () => {
    const resolver = new AccountResolver(emptyBatch());
    const first = added(resolver, 'ann', 1, '1');
    const second = added(resolver, 'ann', 2, '2');
    const third = added(resolver, 'bob', 2);
    rename(resolver, third, 'ann');
    expect([first, second, third].map(({ identity }) => identity.screen_name)).toEqual(['ann~1', 'ann~2', 'ann']);
  });

  it('gives two accounts without a stable id different names when both lost one handle', () => {
    const resolver = new AccountResolver(emptyBatch());
    const accounts = [1, 2, 3].map((number) => added(resolver, 'ann', number));
    expect(accounts.map(({ identity }) => identity.screen_name)).toEqual(['ann~former', 'ann~former~', 'ann']);
  });

  it('does not give a handle back to an account whose snapshot is older than that of the present holder', () => {
    const resolver = new AccountResolver(emptyBatch());
    const holder = added(resolver, 'ann', 5, '2');
    expect(resolver.nameAt(profile('ann', '1'), day(4), undefined)).toBe('ann~1');
    expect(resolver.nameAt(profile('ann', '1'), day(6), undefined)).toBe('ann');
    expect(resolver.nameAt(profile('ann', '2'), day(4), holder)).toBe('ann');
  });

  it('writes the new handle into every record of a renamed account', async () => {
    const batch = emptyBatch();
    const resolver = new AccountResolver(batch);
    const account = added(resolver, 'ann', 1);
    for (const id of [1, 2]) resolver.addRecord(account, bioOf('ann', id));
    expect(rename(resolver, account, 'anna')).toBe(true);
    expect(rename(resolver, account, 'anna')).toBe(false);
    const records = batch.database.prepare<[], { account: string }>('SELECT account FROM record').all();
    expect(records).toEqual([{ account: 'anna' }, { account: 'anna' }]);
    await batch.commit();
  });

  it('stores how far each account was observed when it is flushed', () => {
    const batch = emptyBatch();
    const resolver = new AccountResolver(batch);
    added(resolver, 'ann', 7, '1');
    resolver.flush();
    expect(new AccountResolver(batch).find(profile('ann', '1'), [], day(8))?.observed_to).toBe(day(7));
  });

  it('asks to be flushed when it holds more text than its limit', () => {
    const resolver = new AccountResolver(emptyBatch());
    const account = added(resolver, 'ann', 1);
    expect(resolver.isFull).toBe(false);
    const text = 'x'.repeat(1 << 20);
    for (let id = 1; id <= 34; id += 1) resolver.addRecord(account, { ...bioOf('ann', id), text });
    expect(resolver.isFull).toBe(true);
    resolver.flush();
    expect(resolver.isFull).toBe(false);
  });
});
