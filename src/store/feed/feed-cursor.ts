import { type Checksum, NOTHING, recordsChecksum } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { damaged, storedJson } from '../database/store-error.ts';

const NO_RECORDS: FeedRun = { json: Buffer.alloc(0), first: 0, last: 0 };

/** Consecutive records of the feed. */
export interface FeedRun {
  /** The JSON of the records, separated by commas. Empty if there are no records. */
  readonly json: Buffer;
  /** The ids of the first and the last record: the largest and the smallest. 0 if there are no records. */
  readonly first: number;
  readonly last: number;
}

interface Row {
  readonly first: number | null;
  readonly last: number | null;
  readonly json: Buffer | null;
}

const NEWEST = `SELECT max(id) AS first, min(id) AS last, CAST(group_concat(json, ',') AS BLOB) AS json
  FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`;

/** Reads the feed, newest record first. */
export class FeedCursor {
  readonly #database: Connection;
  /** All records from this id on were read or skipped. */
  #edge: number;
  #checksum: Checksum = NOTHING;

  /** @param edge an id, the cursor begins after the record with it */
  constructor(database: Connection, edge: number) {
    this.#database = database;
    this.#edge = edge;
  }

  /** Takes the next records, newest first. The result is empty at the end of the feed. */
  take(records: number): FeedRun {
    const { path } = this.#database;
    const row = this.#database.get<Row>(NEWEST, this.#edge, records);
    const json = row?.json ?? Buffer.alloc(0);
    if (json.length === 0) return NO_RECORDS;
    const [first, last] = [row?.first ?? 0, row?.last ?? 0];
    // a damaged index could make the walk endless
    if (last >= this.#edge) throw damaged(path, 'records out of order');
    // the checksums are those of the JSON, and not of the ids beside it
    if (!hasEnds(path, json, first, last)) throw damaged(path, `the JSON of record ${first} or ${last} has another id`);
    this.#edge = last;
    this.#checksum = recordsChecksum(json, this.#checksum);
    return { json, first, last };
  }

  /** Begins again after the record with this id, with a new checksum. */
  moveTo(edge: number): void {
    this.#edge = edge;
    this.#checksum = NOTHING;
  }

  /** The checksum of all records taken, newest first, each with a comma after it. */
  get checksum(): Checksum {
    return this.#checksum;
  }
}

/** Whether the first and the last of some records have these ids in their JSON. */
function hasEnds(path: string, json: Buffer, first: number, last: number): boolean {
  if (json.indexOf(`{"id":${first},`) === 0 && json.lastIndexOf(`{"id":${last},`) !== -1) return true;
  // another program can have written the JSON in another form
  const records: readonly { readonly id: number }[] = storedJson(path, `a record from ${last} to ${first}`, `[${json.toString()}]`);
  return records.at(0)?.id === first && records.at(-1)?.id === last;
}
