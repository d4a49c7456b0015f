import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeRecord } from '../../src/contract/record.ts';
import { AnsweringThread } from '../../src/store/answering-thread.ts';
import { Batch } from '../../src/store/batch.ts';
import { ItemWriter } from '../../src/store/item-writer.ts';
import { historiesIn, packed, type WindowHistories, type WindowRequest } from '../../src/store/window-histories.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PROGRAM } from '../support/palimpsest.ts';
import { allRows } from '../support/store-rows.ts';

const THREAD = pathToFileURL(join(PROGRAM, 'dist/store/history-thread.js'));

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

const json = Buffer.from(encodeRecord(recordOf(7, 'ann')));

/** Returns a window with one account and one record. */
function request(): WindowRequest {
  const length = 8 + json.length;
  const bytes = new Uint8Array(2 * length);
  const view = Buffer.from(bytes.buffer);
  view.writeUInt32LE(1, 0);
  view.writeUInt32LE(json.length, 4);
  json.copy(view, 8);
  const summary = '{"display_name":"","website":null,"location":"","bio":""}';
  const account = { row: 1, screen_name: 'ann', identity: '{"screen_name":"ann"}', summary, known_to: null, newest: 7, records: 1 };
  return { path: 'a.db', accounts: [account], entries: { bytes, length } };
}

describe('the histories of a new store', () => {
  it('are the same with and without a thread', async () => {
    const derived = await rows();
    const ask = vi.spyOn(AnsweringThread.prototype, 'ask').mockResolvedValue(undefined);
    onTestFinished(() => ask.mockRestore());
    expect(await rows()).toEqual(derived);
    expect(ask).toHaveBeenCalled();
  });

  it('are derived by the thread', async () => {
    const thread = new AnsweringThread<WindowRequest, WindowHistories>(THREAD);
    const histories = await thread.ask(request());
    expect(histories).toEqual(packed(historiesIn(request())));
    expect(Buffer.from(histories?.heads ?? []).toString()).toBe(`{"screen_name":"ann","data":[${json}]`);
    expect(histories?.tails).toEqual([`,"display_name":"","website":null,"location":"","bio":"${'🌹'.repeat(500)}"}`]);
    await thread.close();
  });
});
