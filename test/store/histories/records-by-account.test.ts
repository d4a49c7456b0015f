import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AccountRecords, SELECT_RECORDS } from '../../../src/store/accounts/account-json.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { RecordsByAccount } from '../../../src/store/histories/records-by-account.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { ItemWriter } from '../../../src/store/writing/item-writer.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';

const RECORDS = 3001;
const ACCOUNTS = 700;
/** Longer than what is written at once. */
const LONG = '🌹'.repeat(30_000);

/** Creates a store whose records come in no order of ids or accounts. One account has no records. */
async function store(): Promise<string> {
  const path = join(temporaryFolder(), 'a.db');
  const batch = new Batch(path, 'by id');
  const writer = new ItemWriter(batch, 'fail');
  for (let number = 0; number < RECORDS; number += 1) {
    const id = 1 + ((number * 1009) % RECORDS);
    const text = id % 500 === 0 ? LONG : `text ${id}`;
    writer.addRecord({ ...bioRecord(id), data_type: 'Bio', account: `user_${(id * 7919) % (1 + (id % ACCOUNTS))}`, text });
  }
  batch.ensureAccount('silent');
  batch.markChanged('silent');
  await batch.commit();
  batch.end();
  return path;
}

interface StaleAccount {
  readonly row: number;
  readonly id: number;
  readonly screen_name: string;
  readonly records: number;
}

function open(path: string): { readonly database: Connection; readonly accounts: readonly StaleAccount[] } {
  const database = new Connection(path);
  database.exec(`CREATE TEMP TABLE stale AS
    SELECT account.id, min(record.id) AS oldest, max(record.id) AS newest, count(record.id) AS records
    FROM account LEFT JOIN record ON record.account = account.id GROUP BY account.id ORDER BY first_record`);
  const accounts = database.prepare<[], StaleAccount>(
    'SELECT stale.rowid AS row, id, screen_name, records FROM temp.stale JOIN account USING (id) ORDER BY stale.rowid',
  );
  return { database, accounts: accounts.all() };
}

describe('RecordsByAccount', () => {
  it.each([100, 10_000, undefined])('returns the records that a search finds, with windows of %s bytes', async (bytes) => {
    const path = await store();
    const { database, accounts } = open(path);
    const gather = database.prepare<[number, number, number], AccountRecords>(SELECT_RECORDS);
    const sorted = new RecordsByAccount(database, bytes);
    for (const _ of sorted.read());
    const found = sorted.windows.flatMap((window) => {
      const grouped = window.read();
      const inWindow = accounts.filter(({ row }) => row >= window.first && row < window.end);
      expect(inWindow.map(({ row }) => grouped.get(row)?.length ?? 0)).toEqual(inWindow.map(({ records }) => records));
      return inWindow.map(({ row, screen_name }) => [
        screen_name,
        Buffer.concat(grouped.get(row) ?? [])
          .subarray(0, -1)
          .toString(),
      ]);
    });
    expect(found).toEqual(accounts.map(({ id, screen_name }) => [screen_name, gather.get(id, 0, RECORDS)?.json.toString()]));
    expect(accounts.length).toBeGreaterThan(500);
    sorted.close();
    database.close();
    expect(readdirSync(join(path, '..'))).toEqual(['a.db']);
  });
});
