import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parquet } from '../../src/export/parquet.ts';
import { type Column, TABLE_NAMES, TABLES, type TableName, type Value } from '../../src/export/tables.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { DUCKDB, type DuckDBValue, duckdb } from '../support/duckdb.ts';
import { histories, toNdjson } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { observe, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const folder = folderOfFile();
let files = 0;

function fileWith(parts: Iterable<Uint8Array>): string {
  files += 1;
  const path = join(folder, `${files}.parquet`);
  writeFileSync(path, Buffer.concat([...parts]));
  return path;
}

/** Returns the value that DuckDB reads for a value of a table. */
function asRead(column: Column | undefined, value: Value): DuckDBValue {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'string') return value;
  if (column?.type !== 'time') return value.toWellFormed();
  const [whole = '', fraction = '0'] = value.slice(0, -1).split('.');
  return { micros: BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction) };
}

function expected(store: Store, table: TableName): DuckDBValue[][] {
  const { columns, rows } = TABLES[table];
  return [...rows(store)].map((row) => row.map((value, index) => asRead(columns[index], value)));
}

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer', isNullable: false },
  { name: 'time', type: 'time', isNullable: true },
  { name: 'text', type: 'text', isNullable: false },
  { name: 'flag', type: 'boolean', isNullable: true },
];

describe.skipIf(DUCKDB.skip)(`Parquet ${DUCKDB.reason}`, () => {
  it('gives DuckDB every value of the tables', async () => {
    await fc.assert(
      fc.asyncProperty(histories(20), async (history) => {
        files += 1;
        const path = join(folder, `${files}.db`);
        await importInputs(path, [sourceOf(toNdjson(history))], { onConflict: 'fail' });
        await observe(path, [
          { observed_at: '2031-01-01T00:00:00Z', id: '1', screen_name: 'first', bio: '=1', verified: true },
          { observed_at: '2031-01-02T00:00:00.5Z', id: '1', screen_name: 'second', bio: '' },
        ]);
        const store = Store.open(path);
        try {
          for (const table of TABLE_NAMES) {
            const file = fileWith(parquet(TABLES[table].columns, TABLES[table].rows(store)));
            const rows = await duckdb(`SELECT * FROM '${file}'`);
            expect(rows).toEqual(expected(store, table));
            expect(rows).toHaveLength(TABLES[table].count(store));
          }
        } finally {
          store.close();
        }
      }),
      { numRuns: times('generated exports', 3, 300) },
    );
  });

  it('has types that readers know', async () => {
    const file = fileWith(parquet(COLUMNS, [[1, '2020-01-01T00:00:00Z', 'a', true]]));
    const types = await duckdb(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}')`);
    expect(types).toEqual([
      ['id', 'BIGINT'],
      ['time', 'TIMESTAMP WITH TIME ZONE'],
      ['text', 'VARCHAR'],
      ['flag', 'BOOLEAN'],
    ]);
    const [[unit] = []] = await duckdb(`SELECT logical_type FROM parquet_schema('${file}') WHERE name = 'time'`);
    expect(String(unit)).toContain('MICROS');
  });

  it('keeps exact ids and times at the limits of their ranges', async () => {
    const rows: readonly Value[][] = [
      [0, '0001-01-01T00:00:00.000001Z', '', null],
      [Number.MAX_SAFE_INTEGER, '9999-12-31T23:59:59.999999Z', 'x', false],
      [7, '1969-12-31T23:59:59.999999Z', 'x', null],
      [8, null, 'x', true],
    ];
    const file = fileWith(parquet(COLUMNS, rows));
    expect(await duckdb(`SELECT * FROM '${file}'`)).toEqual(rows.map((row) => row.map((value, index) => asRead(COLUMNS[index], value))));
  });

  it('has several row groups if there are many rows or long texts, and is readable without rows', async () => {
    const many = Array.from({ length: 25_000 }, (_, id): Value[] => [id, null, String(id % 7), id % 2 === 0]);
    const file = fileWith(parquet(COLUMNS, many));
    const groups = `SELECT count(DISTINCT row_group_id) FROM parquet_metadata('${file}')`;
    expect(await duckdb(`SELECT count(*), sum(id), sum(text::INT), (${groups}) FROM '${file}'`)).toEqual([
      [25_000n, 312_487_500n, 74_994n, 3n],
    ]);
    const long = Array.from({ length: 3 }, (_, id): Value[] => [id, null, 'x'.repeat(5_000_000), null]);
    const parts = [...parquet(COLUMNS, long)];
    expect(parts).toHaveLength(3);
    expect(await duckdb(`SELECT sum(length(text)) FROM '${fileWith(parts)}'`)).toEqual([[15_000_000n]]);
    expect(await duckdb(`SELECT count(*) FROM '${fileWith(parquet(COLUMNS, []))}'`)).toEqual([[0n]]);
  });
});
