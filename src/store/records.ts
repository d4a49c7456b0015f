import { checksumOf } from './checksum.ts';
import type { Connection } from './connection.ts';
import { damaged } from './damaged.ts';

/** A record in the store. */
export interface StoredRecord {
  readonly id: number;
  readonly json: string;
  readonly checksum: number | null;
}

/**
 * Yields all records, sorted by id.
 * @throws Failure bad-store if a record does not match its checksum
 */
export function* records(database: Connection): Generator<StoredRecord> {
  const query = 'SELECT id, json, checksum FROM record WHERE id > ? ORDER BY id LIMIT +?';
  let last = -1;
  for (const record of database.rows<StoredRecord>(query, [last], ({ id }) => [id])) {
    if (record.id <= last) throw damaged(database.path, 'records out of order');
    last = record.id;
    checkedJson(database.path, record);
    yield record;
  }
}

/**
 * Returns the JSON of a record.
 * @throws Failure bad-store if it does not match its checksum
 */
export function checkedJson(path: string, { id, json, checksum }: StoredRecord): string {
  if (checksumOf(json) === checksum) return json;
  throw damaged(path, `record ${id} does not match its checksum`);
}
