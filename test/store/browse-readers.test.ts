import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRecord } from '../../src/contract/record.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOf } from '../browse/small-site.ts';
import { type History, histories } from '../support/histories.ts';

it('a store gives the browse files the days, the feed, the checksums and the accounts of its history', async () => {
  await fc.assert(
    fc.asyncProperty(histories(60), fc.nat(70), async (history, skip) => {
      fc.pre(history.records.length > 0);
      const store = await storeOf(history);
      expect(store.feedDays()).toEqual(daysOf(history));
      expect(JSON.parse(`[${store.feed(skip).take(5).json}]`)).toEqual(history.records.slice(skip, skip + 5));
      const oldest = history.records.slice(Math.max(0, history.records.length - skip));
      const bytes = Buffer.from(oldest.map((record) => `${encodeRecord(record)},`).join(''));
      expect(store.oldestChecksum(oldest.length)).toBe(`${crc32(bytes).toString(16).padStart(8, '0')}-${bytes.length}`);
      expectAccounts(store, history, skip % 8);
      store.close();
    }),
    { numRuns: 10 },
  );
});

/** Returns the number of records of each day, and its newest one. */
function daysOf({ records }: History) {
  const days = new Map<string, { date: string; records: number; newest: number; before: number }>();
  for (const [before, { id, first_encountered_date }] of records.entries()) {
    const date = first_encountered_date.slice(0, 10);
    const day = days.get(date) ?? { date, records: 0, newest: id, before };
    day.records += 1;
    days.set(date, day);
  }
  return [...days.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
}

/** The lines of accounts come in the order of the account pages. */
function expectAccounts(store: Store, { records, accounts }: History, skip: number): void {
  const names = Array.from(store.accountKeys(), (key) => (typeof key === 'string' ? key : records.find(({ id }) => id === key)?.account));
  const [page] = store.accountReader().pages(skip, 3);
  const lines = page?.read() ?? [];
  expect(lines.map(({ screen_name }) => screen_name)).toEqual(names.slice(skip, skip + 3));
  for (const { screen_name, changes, first_change, last_change } of lines) {
    const data = accounts.find((account) => account.screen_name === screen_name)?.data ?? [];
    const [first, last] = [data.at(-1), data[0]].map((record) => record?.first_encountered_date ?? null);
    expect([changes, first_change, last_change]).toEqual([data.length, first, last]);
  }
}
