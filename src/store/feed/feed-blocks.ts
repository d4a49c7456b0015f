import { type Checksum, checksumOf, joined, NOTHING, recordsChecksum } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';
import { daysIn } from './block-days.ts';

/** The number of records in a new block. */
const RECORDS = 250;
/** Greater than every id. */
export const BEYOND: number = Number.MAX_SAFE_INTEGER + 1;

const NO_RECORDS = { records: 0, accounts: '', lengths: '', json: Buffer.alloc(0) };

/** Selects the JSON of the records from an id up to before another one, newest first. */
export const RECORDS_OF_BLOCK = `SELECT CAST(group_concat(json, ',') AS BLOB)
  FROM (SELECT json FROM record WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT -1)`;

/** Marks the feed blocks whose records change, so that their checksums are derived again. */
export class FeedBlockMarks {
  readonly #database: Connection;
  readonly #block: Statement<[number, number], { readonly first: number | null; readonly beyond: number | null }>;
  readonly #mark: Statement<[number]>;
  /** The id range of the block that was marked last. */
  #first = 0;
  #beyond = 0;

  constructor(database: Connection) {
    this.#database = database;
    this.#block = database.prepare(`SELECT (SELECT max(first_id) FROM feed_block WHERE first_id <= ?) AS first,
      (SELECT min(first_id) FROM feed_block WHERE first_id > ?) AS beyond`);
    this.#mark = database.prepare('UPDATE feed_block SET checksum = NULL WHERE first_id = ?');
  }

  mark(id: number): void {
    if (id >= this.#first && id < this.#beyond) return;
    const block = this.#block.get(id, id);
    if (block === undefined || block.first === null) throw damaged(this.#database.path, `no checksum of the feed for record ${id}`);
    this.#mark.run(block.first);
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
  const remove = database.prepare<[number]>('DELETE FROM feed_block WHERE first_id = ?');
  const end = database.prepareValue<[number, number], number>('SELECT id FROM record WHERE id >= ? ORDER BY id LIMIT 1 OFFSET +?');
  const read = database.prepare<[number, number], BlockRecords & { readonly records: number }>(`
    SELECT count(*) AS records, ifnull(group_concat(account), '') AS accounts, ifnull(group_concat(octet_length(json)), '') AS lengths,
      CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
    FROM (SELECT account, json FROM record WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT -1)`);
  const wrong = database.prepareValue<[number, number], number>(
    'SELECT id FROM record WHERE id >= ? AND id < ? AND crc32(json) IS NOT checksum LIMIT 1',
  );
  const insert = database.prepare<[FeedBlock]>(
    `INSERT INTO feed_block (first_id, records, bytes, checksum, days, days_checksum)
      VALUES (:first_id, :records, :bytes, :checksum, :days, :days_checksum)`,
  );
  for (const { first, beyond } of marked.all()) {
    remove.run(first);
    const limit = beyond ?? BEYOND;
    const id = isChecked ? wrong.get(first, limit) : undefined;
    if (id !== undefined) throw damaged(database.path, `record ${id} does not match its checksum`);
    for (let start = first; start < limit; ) {
      const next = Math.min(end.get(start, RECORDS) ?? limit, limit);
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
  const block = database.prepareValue<[number], number | null>('SELECT max(first_id) FROM feed_block WHERE first_id < ?').get(edge) ?? 0;
  const read = database.prepareValue<[number, number], Buffer | null>(RECORDS_OF_BLOCK);
  return joined(recordsChecksum(read.get(block, edge) ?? Buffer.alloc(0)), feedChecksum(database, block));
}

/** Returns the stored checksum of the blocks below `before`, newest record first; by default of the whole feed. */
export function feedChecksum(database: Connection, before: number = BEYOND): Checksum {
  let [whole, edge] = [NOTHING, before];
  for (const { first_id, bytes, checksum } of feedBlocks(database, before)) {
    whole = joined(whole, { crc: checksum, bytes });
    if (first_id >= edge) throw damaged(database.path, 'checksums of the feed out of order');
    edge = first_id;
  }
  return whole;
}

/** Returns an id such that exactly `skip` records of the feed have this id or a larger one; 0 if the feed has fewer records. */
export function feedEdge(database: Connection, skip: number): number {
  return skip === 0 ? BEYOND : (feedEdges(database, skip).next().value ?? 0);
}

/**
 * Yields ids that divide the feed into runs of `every` records: each id is that of the last record of a run, newest first. The
 * counts of the blocks make it unnecessary to count records.
 * @param newest the number of records in the first run
 */
export function* feedEdges(database: Connection, every: number, newest: number = every): Generator<number, void> {
  const within = database.prepareValue<[number, number], number>('SELECT id FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?');
  for (const { edge, offset } of feedPlaces(database, every, newest)) yield within.get(edge, offset) ?? 0;
}

/** The place of a record in the feed: among those with ids below `edge`, newest first, it is the one at `offset`. */
interface FeedPlace {
  readonly edge: number;
  readonly offset: number;
}

/** Yields the places of the ids that {@link feedEdges} yields. Reads no records. */
export function* feedPlaces(database: Connection, every: number, newest: number): Generator<FeedPlace, void> {
  let [edge, left] = [BEYOND, newest];
  for (const { first_id, records } of feedBlocks(database, edge)) {
    let place = left;
    for (; place <= records; place += every) yield { edge, offset: place - 1 };
    left = place - records;
    edge = first_id;
  }
}

interface FeedBlock {
  readonly first_id: number;
  readonly records: number;
  readonly bytes: number;
  readonly checksum: number;
  readonly days: string;
  readonly days_checksum: number;
}

/** Yields the blocks below `before`, the newest first. */
export function feedBlocks(database: Connection, before: number): Generator<FeedBlock> {
  const query = 'SELECT * FROM feed_block WHERE first_id < ? ORDER BY first_id DESC LIMIT +?';
  return database.rows<FeedBlock>(query, [before], ({ first_id }) => [first_id]);
}
