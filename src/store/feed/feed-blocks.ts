import { type Checksum, checksumOf, joined, NOTHING, recordsChecksum } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';
import { daysIn } from './record-dates.ts';

/** The number of records in a new block. */
const RECORDS = 250;
/** Greater than every id. */
export const BEYOND: number = Number.MAX_SAFE_INTEGER + 1;

const NO_RECORDS = { records: 0, accounts: '', lengths: '', json: Buffer.alloc(0) };

/** Marks the feed blocks whose records change, so that their checksums are derived again. */
export class FeedBlockMarks {
  readonly #database: Connection;
  /** The id range of the block that was marked last. */
  #first = 0;
  #beyond = 0;

  constructor(database: Connection) {
    this.#database = database;
  }

  mark(id: number): void {
    if (id >= this.#first && id < this.#beyond) return;
    const query = `SELECT (SELECT max(first_id) FROM feed_block WHERE first_id <= :id) AS first,
      (SELECT min(first_id) FROM feed_block WHERE first_id > :id) AS beyond`;
    const block = this.#database.get<{ readonly first: number | null; readonly beyond: number | null }>(query, { id });
    if (block === undefined || block.first === null) throw damaged(this.#database.path, `no checksum of the feed for record ${id}`);
    this.#database.run('UPDATE feed_block SET checksum = NULL WHERE first_id = ?', block.first);
    this.#first = block.first;
    this.#beyond = block.beyond ?? BEYOND;
  }
}

/** Replaces all blocks by one block for the whole feed, without a checksum. */
export function forgetFeedBlocks(database: Connection): void {
  database.exec('DELETE FROM feed_block; INSERT INTO feed_block (first_id, records, bytes) VALUES (0, 0, 0)');
}

/** The records of a block, newest first. Their accounts as row numbers and their lengths in bytes are separated by commas, and so is their JSON. */
export interface BlockRecords {
  readonly accounts: string;
  readonly lengths: string;
  readonly json: Buffer;
}

/**
 * Derives the checksums of the marked blocks, the oldest first. Runs in the transaction of the caller. Yields the records of each
 * new block.
 * @param isChecked whether each record is first checked against its checksum, so that a block checksum never covers damage
 * @throws Failure bad-store
 */
export function* renewFeedBlocks(database: Connection, isChecked: boolean): Generator<BlockRecords> {
  const marked = database.prepare<[], { readonly first: number; readonly beyond: number | null }>(`
    SELECT first_id AS first, (SELECT min(first_id) FROM feed_block AS later WHERE later.first_id > feed_block.first_id) AS beyond
    FROM feed_block WHERE checksum IS NULL ORDER BY first_id`);
  const end = 'SELECT id FROM record WHERE id >= ? ORDER BY id LIMIT 1 OFFSET +?';
  const read = database.prepare<[number, number], BlockRecords & { readonly records: number }>(`
    SELECT count(*) AS records, ifnull(group_concat(account), '') AS accounts, ifnull(group_concat(octet_length(json)), '') AS lengths,
      CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
    FROM (SELECT account, json FROM record WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT -1)`);
  const wrong = 'SELECT id FROM record WHERE id >= ? AND id < ? AND crc32(json) IS NOT checksum LIMIT 1';
  const insert = database.prepare<[StoredBlock]>(
    `INSERT INTO feed_block (first_id, records, bytes, checksum, days, days_checksum)
      VALUES (:first_id, :records, :bytes, :checksum, :days, :days_checksum)`,
  );
  for (const { first, beyond } of marked.all()) {
    database.run('DELETE FROM feed_block WHERE first_id = ?', first);
    const limit = beyond ?? BEYOND;
    const id = isChecked ? database.value<number>(wrong, first, limit) : undefined;
    if (id !== undefined) throw damaged(database.path, `record ${id} does not match its checksum`);
    for (let start = first; start < limit; ) {
      const next = Math.min(database.value<number>(end, start, RECORDS) ?? limit, limit);
      const { records, ...found } = read.get(start, next) ?? NO_RECORDS;
      const { json } = found;
      const { crc: checksum, bytes } = recordsChecksum(json);
      const days = daysIn(json);
      // one block always begins at 0, so that every id is in a block
      if (records > 0 || start === 0) insert.run({ first_id: start, records, bytes, checksum, days, days_checksum: checksumOf(days) });
      if (next <= start) throw damaged(database.path, 'records out of order');
      start = next;
      yield found;
    }
  }
}

/** Returns the checksum of the records with ids below `edge`, newest first. Only a part of one block is read. */
export function checksumBelow(database: Connection, edge: number): Checksum {
  const block = database.value<number | null>('SELECT max(first_id) FROM feed_block WHERE first_id < ?', edge) ?? 0;
  return joined(recordsChecksum(jsonOfBlock(database, block, edge)), feedChecksum(database, block));
}

/** Returns the stored checksum of the blocks below `before`, newest record first; by default of the whole feed. */
export function feedChecksum(database: Connection, before: number = BEYOND): Checksum {
  let whole = NOTHING;
  for (const { bytes, checksum } of feedBlocks(database, before)) whole = joined(whole, { crc: checksum, bytes });
  return whole;
}

/** The place of a record in the feed: among those with ids below `edge`, newest first, it is the one at `offset`. */
interface FeedPlace {
  readonly edge: number;
  readonly offset: number;
}

/** Returns the id of the record at a place; 0 if there is none. */
export function idAt(database: Connection, { edge, offset }: FeedPlace): number {
  return database.value<number>('SELECT id FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?', edge, offset) ?? 0;
}

/** Returns an id such that exactly `skip` records of the feed have this id or a larger one; 0 if the feed has fewer records. */
export function feedEdge(database: Connection, skip: number): number {
  if (skip === 0) return BEYOND;
  const place = feedPlaces(database, skip, skip).next().value;
  return place ? idAt(database, place) : 0;
}

/**
 * Yields the last record of each run of `every` records, newest first. Reads no records: the counts of the blocks make it unnecessary
 * to count them.
 * @param newest the number of records in the first run
 */
export function* feedPlaces(database: Connection, every: number, newest: number): Generator<FeedPlace, void> {
  let left = newest;
  for (const { edge, records } of feedBlocks(database)) {
    let place = left;
    for (; place <= records; place += every) yield { edge, offset: place - 1 };
    left = place - records;
  }
}

interface StoredBlock {
  readonly first_id: number;
  readonly records: number;
  readonly bytes: number;
  readonly checksum: number;
  readonly days: string;
  readonly days_checksum: number;
}

/** A block of the feed. All its records have ids below `edge`. */
interface FeedBlock extends StoredBlock {
  readonly edge: number;
}

/**
 * Yields the blocks below `before`, the newest first; by default all.
 * @throws Failure bad-store
 */
export function* feedBlocks(database: Connection, before: number = BEYOND): Generator<FeedBlock> {
  const query = 'SELECT * FROM feed_block WHERE first_id < ? ORDER BY first_id DESC LIMIT +?';
  let edge = before;
  for (const block of database.rows<StoredBlock>(query, [before], ({ first_id }) => [first_id])) {
    if (block.first_id >= edge) throw damaged(database.path, 'checksums of the feed out of order');
    yield { ...block, edge };
    edge = block.first_id;
  }
}

/** Returns the JSON of the records from an id up to before another one, newest first, separated by commas. */
export function jsonOfBlock(database: Connection, first: number, edge: number): Buffer {
  const query = `SELECT CAST(group_concat(json, ',') AS BLOB)
    FROM (SELECT json FROM record WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT -1)`;
  return database.value<Buffer | null>(query, first, edge) ?? Buffer.alloc(0);
}
