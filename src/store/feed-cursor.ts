import { type Checksum, joined, NOTHING, recordsChecksum } from './checksum.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged } from './damaged.ts';
import type { Direction } from './direction.ts';

const NO_RECORDS: FeedRun = { json: Buffer.alloc(0), first: 0, last: 0 };
const BEYOND = Number.MAX_SAFE_INTEGER + 1;

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

/** Reads the feed (newest record first) inward from one of its ends. */
export class FeedCursor {
  readonly #end: Direction;
  /** The id of the record that was read last. */
  #edge: number;
  readonly #path: string;
  #checksum: Checksum = NOTHING;
  readonly #newest: Statement<[number, number], Row>;
  readonly #above: Statement<[number, number], number>;
  readonly #between: Statement<[number, number, number], Row>;

  /** @param edge for the end `first`: an id, the cursor begins after the record with it */
  constructor(database: Connection, end: Direction, edge: number = BEYOND) {
    this.#end = end;
    this.#path = database.path;
    this.#edge = end === 'first' ? edge : -1;
    this.#newest = database.prepare(`SELECT max(id) AS first, min(id) AS last, CAST(group_concat(json, ',') AS BLOB) AS json
      FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`);
    this.#above = database.prepareValue('SELECT id FROM record WHERE id > ? ORDER BY id LIMIT 1 OFFSET +?');
    this.#between = database.prepare(`SELECT max(id) AS first, min(id) AS last, CAST(group_concat(json, ',') AS BLOB) AS json
      FROM (SELECT id, json FROM record WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT +?)`);
  }

  /** Takes the next records, newest first. The result is empty at the end of the feed. */
  take(records: number): FeedRun {
    const row = this.#end === 'first' ? this.#newest.get(this.#edge, records) : this.#between.get(this.#edge, this.#upTo(records), records);
    const json = row?.json ?? Buffer.alloc(0);
    if (json.length === 0) return NO_RECORDS;
    const [first, last] = [row?.first ?? 0, row?.last ?? 0];
    this.#advance(this.#end === 'first' ? last : first);
    this.#checksum = this.#end === 'first' ? recordsChecksum(json, this.#checksum) : joined(recordsChecksum(json), this.#checksum);
    return { json, first, last };
  }

  /** Moves to the record with this id, or to the next older one. Begins a new checksum. Only for the end `first`. */
  moveTo(id: number): void {
    this.#edge = id + 1;
    this.#checksum = NOTHING;
  }

  /** The checksum of all records taken, newest first, each with a comma after it. */
  get checksum(): Checksum {
    return this.#checksum;
  }

  /** Checks that the walk moves on: a damaged index could make it endless. */
  #advance(edge: number): void {
    if (this.#end === 'first' ? edge >= this.#edge : edge <= this.#edge) throw damaged(this.#path, 'records out of order');
    this.#edge = edge;
  }

  #upTo(records: number): number {
    return this.#above.get(this.#edge, records - 1) ?? BEYOND;
  }
}
