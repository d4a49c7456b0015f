import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../../src/store/database/connection.ts';
import { renewFeedBlocks } from '../../../src/store/feed/feed-blocks.ts';
import { RecordsByAccount } from '../../../src/store/histories/records-by-account.ts';
import { eachPart, findStaleParts } from '../../../src/store/histories/stale-parts.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { ItemWriter } from '../../../src/store/writing/item-writer.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';

const RECORDS = 3001;
const ACCOUNTS = 700;
/** Longer than what is written at once. */
const LONG = '🌹'.repeat(30_000);

/** Creates a store whose records come in no order of ids or accounts. One account has two parts, another one no records. */
async function store(): Promise<string> {
  const path = join(temporaryFolder(), 'a.db');
  const batch = new Batch(path, 'by id');
  const writer = new ItemWriter(batch, 'fail');
  for (let number = 0; number < RECORDS; number += 1) {
    const id = 1 + ((number * 1009) % RECORDS);
    const text = id % 500 === 0 ? LONG : `text ${id}`;
    writer.addRecord({
      ...bioRecord(id),
      data_type: 'Bio',
      account: id % 3 === 0 ? 'busy' : `user_${(id * 7919) % (1 + (id % ACCOUNTS))}`,
      text,
    });
  }
  batch.ensureAccount('silent');
  batch.markChanged('silent');
  await batch.commit();
  batch.end();
  return path;
}

describe('RecordsByAccount', () => {
  it.each([100, 10_000, undefined])('returns the records that a search finds, with windows of %s bytes', async (bytes) => {
    const path = await store();
    const database = new Connection(path);
    database.exec(
      'UPDATE account SET revision = NULL; DELETE FROM history; DELETE FROM history_part; UPDATE feed_block SET checksum = NULL',
    );
    findStaleParts(database);
    const sorted = new RecordsByAccount(database, bytes);
    for (const block of renewFeedBlocks(database, false)) sorted.add(block);
    const found = [...sorted.parts()].map(({ stale, json }) => [stale.screen_name, stale.number, json.toString()]);
    const searched = [...eachPart(database)].map(({ stale, json }) => [stale.screen_name, stale.number, json.toString()]);
    expect(found).toEqual(searched);
    expect(found.length).toBeGreaterThan(400);
    expect(found.some(([, number]) => number === 1)).toBe(true);
    sorted.close();
    database.close();
    expect(readdirSync(join(path, '..'))).toEqual(['a.db']);
  });
});
