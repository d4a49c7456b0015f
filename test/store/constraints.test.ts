import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importInputs } from '../../src/import/import.ts';
import { Connection } from '../../src/store/connection.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { histories } from '../support/histories.ts';

/** Imports some records and accounts into a new store. */
async function imported(items: readonly object[]): Promise<Connection> {
  const path = join(temporaryFolder(), 'store.db');
  const bytes = Buffer.from(`${items.map((item) => JSON.stringify(item)).join('\n')}\n`);
  async function* open() {
    yield bytes;
  }
  await importInputs(path, [{ name: 'history', size: bytes.length, open }], { onConflict: 'replace' });
  return new Connection(path);
}

describe('the constraints of the schema', () => {
  it('accept every record and account that an import accepts', async () => {
    await fc.assert(
      fc.asyncProperty(histories(20), async ({ records, accounts }) => {
        // an import refuses an empty file
        fc.pre(records.length + accounts.length > 0);
        const database = await imported([...records, ...accounts.map((account) => ({ ...account, data_page_count: 1 }))]);
        // includes all CHECK constraints
        expect(database.value('PRAGMA integrity_check')).toBe('ok');
        database.close();
      }),
      { numRuns: 20 },
    );
  });

  it('refuse a wrong value of another program', async () => {
    const database = await imported([bioRecord(1)]);
    const set = (json: string) => database.exec(`UPDATE record SET json = '${json}'`);
    expect(() => set(JSON.stringify({ ...bioRecord(1), data_type: 'Age' }))).toThrow(/CHECK constraint failed/);
    expect(() => set('{')).toThrow();
    database.close();
  });
});
