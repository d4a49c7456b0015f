import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** Runs a query in DuckDB and returns its rows. */
export async function duckdb(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
