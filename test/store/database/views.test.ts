import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../src/export/tables.ts';
import { importInputs } from '../../../src/import/import.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { histories, toNdjson } from '../../support/histories.ts';
import { times } from '../../support/proof.ts';
import { observe, sourceOf } from '../../support/snapshots.ts';
import { folderOfFile } from '../../whole/stores.ts';

const VIEWS = ['records', 'accounts'] as const;

const folder = folderOfFile();
let stores = 0;

type Row = { readonly [column: string]: unknown };

function rowsOf(path: string, sql: string): readonly Row[] {
  const database = new Connection(path, { readonly: true });
  try {
    return database.prepare<[], Row>(sql).all();
  } finally {
    database.close();
  }
}

describe('the views of a store', () => {
  it('have the rows and the columns of the exported tables, and every row keeps the constraints', async () => {
    await fc.assert(
      fc.asyncProperty(histories(20), async (history) => {
        stores += 1;
        const path = join(folder, `${stores}.db`);
        await observe(path, [
          { observed_at: '2010-01-01T00:00:00Z', id: '1', screen_name: 'first', bio: '=1', verified: false },
          { observed_at: '2010-01-02T00:00:00.5Z', id: '1', screen_name: 'second', bio: '', website: 'https://a.example' },
          { observed_at: '2010-01-03T00:00:00Z', id: '1', screen_name: 'third', verified: true },
        ]);
        const lines = toNdjson(history);
        if (lines.length > 0) await importInputs(path, [sourceOf(lines)], { onConflict: 'fail' });
        // includes all CHECK constraints
        expect(rowsOf(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
        const store = Store.open(path);
        try {
          for (const table of VIEWS) {
            const { columns, rows } = TABLES[table];
            const order = table === 'records' ? 'id' : 'screen_name';
            const found = rowsOf(path, `SELECT * FROM ${table} ORDER BY ${order}`);
            expect(found.map((row) => Object.entries(row))).toEqual(
              [...rows(store)].map((row) =>
                row
                  .slice(0, Object.keys(found[0] ?? {}).length)
                  .map((value, index) => [columns[index]?.name, typeof value === 'boolean' ? Number(value) : value]),
              ),
            );
          }
        } finally {
          store.close();
        }
      }),
      { numRuns: times('generated stores', 10, 300) },
    );
  });

  it('use an index for the records of one account, and for one account', async () => {
    const path = join(temporaryFolder(), 'store.db');
    await observe(path, [{ observed_at: '2010-01-01T00:00:00Z', screen_name: 'ann', bio: 'a' }]);
    const plan = (sql: string) => rowsOf(path, `EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => String(detail));
    const records = plan("SELECT * FROM records WHERE account = 'ann'");
    expect(records).toContainEqual(expect.stringContaining('SEARCH record USING INDEX'));
    expect(records).toContain('SEARCH gone USING PRIMARY KEY (mirror=? AND collection=? AND key=?)');
    expect(records.filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
    expect(
      plan("SELECT count(*) FROM records WHERE account IN ('ann', 'bob')").filter((detail) => detail.startsWith('SCAN record')),
    ).toEqual([]);
    expect(
      plan("SELECT * FROM accounts WHERE screen_name = 'ann'").filter((detail) => /^SCAN (account|record|history|former)/.test(detail)),
    ).toEqual([]);
  });
});
