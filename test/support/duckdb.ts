import { pathToFileURL } from 'node:url';
import { inPackage, installed } from '../conformance/child.ts';
import type { Requirement } from './requirement.ts';

/** DuckDB, which reads exported tables. It is not a dependency of the project: its lock file entries differ by system. */
export const DUCKDB: Requirement = installed('@duckdb/node-api');

/** A value as DuckDB returns it. A timestamp has its microseconds since 1970. */
export type DuckDBValue = null | boolean | bigint | string | { readonly micros: bigint };

interface DuckDB {
  readonly DuckDBInstance: { readonly create: (path: string) => Promise<Instance> };
}

interface Instance {
  readonly connect: () => Promise<Connection>;
  readonly closeSync: () => void;
}

interface Connection {
  readonly runAndReadAll: (sql: string) => Promise<{ readonly getRows: () => readonly (readonly DuckDBValue[])[] }>;
  readonly closeSync: () => void;
}

/** Runs a query in DuckDB and returns its rows. */
export async function duckdb(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
  const { DuckDBInstance }: DuckDB = await import(pathToFileURL(inPackage('@duckdb/node-api/lib/index.js')).href);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
