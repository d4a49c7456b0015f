import { type ChangeRecord, encodeRecord } from '../../contract/record.ts';
import { checksumOf } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';

export interface StoredRecord {
  readonly id: number;
  readonly json: string;
  readonly checksum: number | null;
}

/** A record with its JSON as it is published, as text or in UTF-8, and the CRC-32 of that JSON. */
export interface EncodedRecord {
  readonly id: number;
  readonly account: string;
  readonly json: string | Buffer;
  readonly checksum: number;
}

/** @param json the JSON of the record as on a page */
export function encodedRecord(record: ChangeRecord, json: string = encodeRecord(record)): EncodedRecord {
  return { id: record.id, account: record.account, json, checksum: checksumOf(json) };
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

/** @throws Failure bad-store if it does not match its checksum */
export function checkedJson(path: string, { id, json, checksum }: StoredRecord, account?: string): string {
  if (checksumOf(json) === checksum) return json;
  throw damaged(path, `record ${id}${account === undefined ? '' : ` of ${account}`} does not match its checksum`);
}
