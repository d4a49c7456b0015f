import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Batch } from '../../../src/store/writing/batch.ts';
import { ItemWriter } from '../../../src/store/writing/item-writer.ts';
import { ThreadPool } from '../../../src/threads/thread-pool.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allRows } from '../../support/store-rows.ts';

const recordOf = (id: number, account: string) => ({ ...bioRecord(id), data_type: 'Bio' as const, account, text: '🌹'.repeat(500) });

/** Returns all rows of a store with records of several windows. */
async function rows(): Promise<readonly unknown[]> {
  const path = join(temporaryFolder(), 'a.db');
  const batch = new Batch(path, 'by id');
  const writer = new ItemWriter(batch, 'fail');
  for (let id = 1; id <= 1500; id += 1) writer.addRecord(recordOf(id, `user_${(id * 7919) % 601}`));
  await batch.commit();
  batch.end();
  return allRows(path);
}

describe('the histories of a new store', () => {
  it('are the same with and without a thread', async () => {
    const ask = vi.spyOn(ThreadPool.prototype, 'ask');
    onTestFinished(() => ask.mockRestore());
    const derived = await rows();
    expect(await ask.mock.results[0]?.value).toMatchObject({ heads: expect.any(Uint8Array) });
    ask.mockResolvedValue(undefined);
    expect(await rows()).toEqual(derived);
  });
});
