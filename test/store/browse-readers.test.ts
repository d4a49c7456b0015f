import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import { type DataType, encodeRecord } from '../../src/contract/record.ts';
import type { FeedVisitor } from '../../src/store/feed/feed-days.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOf } from '../browse/small-site.ts';
import { type History, histories } from '../support/histories.ts';

it('a store gives the browse files the days, the feed, the checksums and the accounts of its history', async () => {
  await fc.assert(
    fc.asyncProperty(histories(60), fc.nat(70), async (history, skip) => {
      fc.pre(history.records.length > 0);
      const store = await storeOf(history);
      const visited: [DataType, boolean, number][] = [];
      const visit: FeedVisitor = ({ type, isFirst }, before) => visited.push([type, isFirst, before]);
      expect(store.feedDays(visit)).toEqual(daysOf(history));
      expect(visited).toEqual(history.records.map(({ data_type, previous }, before) => [data_type, previous === null, before]));
      expect(JSON.parse(`[${store.feed(skip).take(5).json}]`)).toEqual(history.records.slice(skip, skip + 5));
      const oldest = history.records.slice(Math.max(0, history.records.length - skip));
      const bytes = Buffer.from(oldest.map((record) => `${encodeRecord(record)},`).join(''));
      expect(store.oldestChecksum(oldest.length)).toBe(`${crc32(bytes).toString(16).padStart(8, '0')}-${bytes.length}`);
      expectAccounts(store, history);
      store.close();
    }),
    { numRuns: 10 },
  );
});

/** Returns the numbers of changes and first values of each day, and its newest record. */
function daysOf({ records }: History) {
  const days = new Map<string, { date: string; changes: number; first_values: number; newest: number; before: number }>();
  for (const [before, { id, previous, first_encountered_date }] of records.entries()) {
    const date = first_encountered_date.slice(0, 10);
    const day = days.get(date) ?? { date, changes: 0, first_values: 0, newest: id, before };
    day[previous === null ? 'first_values' : 'changes'] += 1;
    days.set(date, day);
  }
  return [...days.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
}

/** The accounts come in the order of their handles, without regard to case. */
function expectAccounts(store: Store, { accounts }: History): void {
  const reader = store.storedAccounts();
  const listed = Array.from(reader.byHandle(), (handle) => reader.listed(handle));
  const bytes = (name: string) => Buffer.from(name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const inOrder = accounts
    .map(({ screen_name }) => screen_name)
    .sort((one, other) => bytes(one).compare(bytes(other)) || Buffer.from(one).compare(Buffer.from(other)));
  expect(listed.map(({ screen_name }) => screen_name)).toEqual(inOrder);
  const sortKey = ({ display_name, screen_name }: Pick<Account, 'display_name' | 'screen_name'>) =>
    Buffer.concat([bytes(display_name), Buffer.from([0]), bytes(screen_name), Buffer.from([0]), Buffer.from(screen_name)]);
  const named = accounts.filter(({ display_name }) => display_name !== '').sort((one, other) => sortKey(one).compare(sortKey(other)));
  expect([...reader.byName()]).toEqual(named.map(({ screen_name, display_name }) => ({ screen_name, display_name })));
  for (const { screen_name, changes, first_seen, last_change } of listed) {
    const data = accounts.find((account) => account.screen_name === screen_name)?.data ?? [];
    const changed = data.filter(({ previous }) => previous !== null);
    const [first, last] = [data.at(-1), changed[0]].map((record) => record?.first_encountered_date ?? null);
    expect([changes, first_seen, last_change]).toEqual([changed.length, first, last]);
  }
}
