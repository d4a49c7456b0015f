import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AccountReader } from '../../../src/store/accounts/account-reader.ts';
import { AccountSearch } from '../../../src/store/accounts/account-search.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { observe } from '../../support/snapshots.ts';

async function storeOf(...snapshots: readonly (readonly [day: number, id: string, screen_name: string])[]): Promise<Connection> {
  const path = join(temporaryFolder(), 'store.db');
  await observe(
    path,
    snapshots.map(([day, id, screen_name]) => ({ observed_at: new Date(Date.UTC(2020, 0, day)).toISOString(), id, screen_name, bio: 'x' })),
  );
  return new Connection(path, { readonly: true });
}

describe('AccountSearch', () => {
  it('prefers a handle to a former handle, and a former handle to a stable id', async () => {
    const search = new AccountSearch(await storeOf([1, '1', '2'], [2, '1', 'one'], [3, '2', 'two'], [4, '3', '2']));
    expect(search.find('2')).toEqual({ screen_name: '2', by: 'handle' });
    expect(search.find('ONE')).toEqual({ screen_name: 'one', by: 'handle' });
    expect(search.find('3')).toEqual({ screen_name: '2', by: 'stable-id' });
    expect(search.find('four')).toBeUndefined();
    const withoutHolder = new AccountSearch(await storeOf([1, '1', '2'], [2, '1', 'one'], [3, '2', 'two']));
    expect(withoutHolder.find('2')).toEqual({ screen_name: 'one', by: 'former-handle' });
  });

  it('prefers the exact case of a handle', async () => {
    const search = new AccountSearch(await storeOf([1, '1', 'Ann'], [1, '2', 'bob']));
    expect(search.find('aNN')).toEqual({ screen_name: 'Ann', by: 'handle' });
  });

  it('lists the accounts that had a handle, the last one first', async () => {
    const search = new AccountSearch(
      await storeOf([1, '1', 'a'], [2, '1', 'b'], [3, '2', 'a'], [4, '2', 'c'], [5, '1', 'a'], [6, '1', 'b']),
    );
    expect(search.formerHolders('A')).toEqual([
      { screen_name: 'b', seen_to: Date.UTC(2020, 0, 5) * 1000 },
      { screen_name: 'c', seen_to: Date.UTC(2020, 0, 3) * 1000 },
    ]);
    expect(search.find('a')).toEqual({ screen_name: 'b', by: 'former-handle' });
  });

  it('treats wildcards of SQL in a prefix as plain characters', async () => {
    const search = new AccountSearch(
      await storeOf([1, '1', 'a_b'], [1, '2', 'axb'], [1, '3', 'A_c'], [1, '4', 'a%'], [1, '5', 'é1'], [1, '6', 'b']),
    );
    expect(search.withPrefix('a_')).toEqual(['a_b', 'A_c']);
    expect(search.withPrefix('a%')).toEqual(['a%']);
    expect(search.withPrefix('é')).toEqual(['é1']);
    expect(search.withPrefix('A')).toEqual(['a%', 'a_b', 'A_c', 'axb']);
  });

  it('uses an index for every search', async () => {
    const database = await storeOf([1, '1', 'a']);
    const plans: string[] = [];
    const record = (sql: string) => {
      const statement = database.prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
      const parameters = sql.includes(':from') ? [{ from: 'a', to: 'b' }] : Array.from(sql.matchAll(/\?/g), () => 'a');
      plans.push(...statement.all(...parameters).map(({ detail }) => detail));
      return database.prepare(sql);
    };
    const recording: Connection = Object.create(database, { prepare: { value: record }, prepareValue: { value: record } });
    new AccountSearch(recording);
    expect(plans.filter((detail) => detail.startsWith('SEARCH')).length).toBeGreaterThanOrEqual(6);
    expect(plans.filter((detail) => /^SCAN (account|former_handle)/.test(detail))).toEqual([]);
    database.close();
  });
});

describe('AccountReader', () => {
  it('yields handles that differ only in case once each, across the batches of the query', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `user_${index % 2 === 0 ? 'a' : 'B'}${index}`);
    const database = await storeOf(...names.map((name, index): [number, string, string] => [1, String(index), name]));
    const listed = [...new AccountReader(database).names('handle')].map(({ screen_name }) => screen_name);
    expect(listed).toHaveLength(1100);
    expect(listed).toEqual(names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    database.close();
  });
});
