import { existsSync } from 'node:fs';
import { Connection } from '../../src/store/database/connection.ts';

/**
 * Returns all rows of all tables of a store, in the order of their keys. Equal rows mean equal content, byte for byte. A store that
 * does not exist has no rows.
 */
export function allRows(path: string): readonly unknown[] {
  if (!existsSync(path)) return [];
  const database = new Connection(path, { readonly: true });
  try {
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all();
    return tables.flatMap((table) => [table, ...database.prepare(`SELECT * FROM ${table}`).all()]);
  } finally {
    database.close();
  }
}
