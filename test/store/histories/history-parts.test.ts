import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeRecord } from '../../../src/contract/record.ts';
import { checkStore } from '../../../src/store/check/store-check.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { Store } from '../../../src/store/store.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { ItemWriter } from '../../../src/store/writing/item-writer.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { contentsOf, folderOfFile } from '../../whole/stores.ts';

const TYPES = ['Bio', 'Name', 'Location'] as const;

const recordOf = (id: number, account: string, text = `text ${id}`): ChangeRecord => ({
  ...bioRecord(id),
  data_type: 'Bio',
  account,
  text,
});

/** Of the records, 1,100 are of one account, so that its history has three parts. Only old parts have a location. */
const RECORDS: readonly ChangeRecord[] = Array.from({ length: 1700 }, (_, index) => {
  const id = index + 1;
  const data_type = TYPES[id < 300 ? id % 3 : id % 2] ?? 'Bio';
  return { ...recordOf(id, id <= 1100 ? 'long' : `user_${(id * 7919) % 401}`), data_type, previous: id <= 2 ? null : id - 2 };
});
/** Writes each list of records in a batch of its own. */
async function written(path: string, ...batches: readonly (readonly ChangeRecord[])[]): Promise<string> {
  for (const records of batches) {
    const batch = new Batch(path, 'by id');
    try {
      const writer = new ItemWriter(batch, 'replace');
      for (const record of records) writer.addRecord(record);
      await batch.commit();
    } finally {
      batch.end();
    }
  }
  return path;
}

const stored = (...batches: readonly (readonly ChangeRecord[])[]) => written(join(temporaryFolder(), 'a.db'), ...batches);

describe('the parts of a long history', () => {
  const intact = join(folderOfFile(), 'a.db');
  beforeAll(() => written(intact, RECORDS));

  it.each<[string, readonly (readonly ChangeRecord[])[]]>([
    ['in steps', [RECORDS.slice(0, 400), RECORDS.slice(400, 1001), RECORDS.slice(1001, 1002), RECORDS.slice(1002)]],
    ['newest first', [RECORDS.slice(900).toReversed(), RECORDS.slice(450, 900).toReversed(), RECORDS.slice(0, 450).toReversed()]],
    ['with a gap', [[...RECORDS.slice(0, 600), ...RECORDS.slice(700)], RECORDS.slice(600, 700)]],
    ['after another version of a record', [[...RECORDS.slice(0, 399), recordOf(400, 'long', 'old')], RECORDS]],
    ['after a record moved to another account and back', [RECORDS, [recordOf(400, 'other')], RECORDS.slice(399, 400)]],
  ])('are the same if the records are imported %s', async (_, batches) => {
    const path = await stored(...batches);
    expect(contentsOf(path)).toBe(contentsOf(intact));
    expect(await checkStore(path)).toMatchObject({ findings: [] });
  });

  it('have the value of a field that only the oldest part has', () => {
    const store = Store.open(intact);
    onTestFinished(() => store.close());
    const json = Buffer.concat([...store.accounts().take(1).read(100)]).toString();
    expect(JSON.parse(json)).toMatchObject({ screen_name: 'long', data_page_count: 11, location: 'text 299' });
    expect(JSON.parse(json).data.map(({ id }: ChangeRecord) => id)).toEqual(Array.from({ length: 1100 }, (_, index) => 1100 - index));
    expect(store.storedAccounts().account(1, 0).json?.toString()).toBe(json.replace(',"data_page_count":11', ''));
    expect(store.accountReader().listed('long').changes).toBe(1098);
  });

  it.each([
    ['json = replace(json, \'"Bio"\', \'"Boi"\')', 'read'],
    ['first_record = 3', 'read'],
    ['number = number + 1', 'extended'],
    ["older = replace(older, 'Location', 'Name')", 'extended'],
    ['newest = newest + 1', 'extended'],
  ])('with damage (%s) are found by a check, and no account is %s with them', async (damage, use) => {
    const path = join(temporaryFolder(), 'a.db');
    copyFileSync(intact, path);
    const database = new Connection(path);
    database.exec(`UPDATE history_part SET ${damage} WHERE number = 1`);
    database.close();
    const { findings } = await checkStore(path);
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'history of long', repairable: true }));
    const isWithoutAccount = findings.some(
      ({ subject, found }) => subject === 'histories' && found === 'a part of a history without its account',
    );
    expect(isWithoutAccount).toBe(damage.startsWith('first_record'));
    const store = Store.open(path);
    onTestFinished(() => store.close());
    // the list counts without the JSON of the parts
    const listed = () => store.accountReader().listed('long').changes;
    if (damage.startsWith('json')) expect(listed()).toBe(1098);
    else expect(listed).toThrow(expect.objectContaining({ code: 'bad-store' }));
    const read = async () => [...store.accounts().take(1).read(100)];
    const extend = () => written(path, [recordOf(1701, 'long')]);
    await expect(use === 'read' ? read() : extend()).rejects.toMatchObject({ code: 'bad-store' });
  });
});
