import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/contract/record.ts';
import { storeOf } from '../browse/small-site.ts';
import { histories } from '../support/histories.ts';

describe('the readers for browse files', () => {
  it('count the records of each day and find its newest record', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const days = new Map<string, { date: string; records: number; newest: number; before: number }>();
        for (const [before, { id, first_encountered_date }] of history.records.entries()) {
          const date = first_encountered_date.slice(0, 10);
          const day = days.get(date) ?? { date, records: 0, newest: id, before };
          day.records += 1;
          days.set(date, day);
        }
        expect(store.feedDays()).toEqual([...days.values()].sort((a, b) => (a.date < b.date ? 1 : -1)));
        store.close();
      }),
      { numRuns: 10 },
    );
  });

  it('find the feed after any number of records', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), fc.nat(70), async (history, skip) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const found = JSON.parse(`[${store.feedAfter(skip).take(5).json}]`);
        expect(found).toEqual(history.records.slice(skip, skip + 5));
        store.close();
      }),
      { numRuns: 10 },
    );
  });

  it('give the oldest records the checksum that they have alone', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), fc.nat(60), async (history, count) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const oldest = history.records.slice(history.records.length - Math.min(count, history.records.length));
        const bytes = Buffer.from(oldest.map((record) => `${encodeRecord(record)},`).join(''));
        expect(store.oldestChecksum(oldest.length)).toBe(`${crc32(bytes).toString(16).padStart(8, '0')}-${bytes.length}`);
        store.close();
      }),
      { numRuns: 10 },
    );
  });

  it('list the accounts in the order of the account pages', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), fc.nat(7), async (history, skip) => {
        fc.pre(history.accounts.length > 0);
        const store = await storeOf(history);
        const times = (name: string) =>
          history.accounts.find(({ screen_name }) => screen_name === name)?.data.map((record) => record.first_encountered_date) ?? [];
        const keys = [...store.accountKeys()];
        const names = keys.map((key) => (typeof key === 'string' ? key : history.records.find(({ id }) => id === key)?.account));
        const lines = store.accountLinesAfter(skip).take(3).read();
        expect(lines.map(({ screen_name }) => screen_name)).toEqual(names.slice(skip, skip + 3));
        for (const { screen_name, changes, first_change, last_change } of lines) {
          const all = times(screen_name);
          expect([changes, first_change, last_change]).toEqual([all.length, all.at(-1) ?? null, all[0] ?? null]);
        }
        store.close();
      }),
      { numRuns: 10 },
    );
  });
});
