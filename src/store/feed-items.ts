import { crc32 } from 'node:zlib';
import { type Checksum, NOTHING, recordsChecksum } from './checksum.ts';
import type { Connection, Statement } from './connection.ts';
import { damaged } from './damaged.ts';
import { feedChecksum } from './feed-blocks.ts';
import type { ItemRun } from './item-run.ts';

/** The number of records that one query reads. */
const RECORDS = 1000;
/** Greater than every id. */
const BEYOND = Number.MAX_SAFE_INTEGER + 1;

interface Row {
  readonly ids: string | null;
  readonly lengths: string | null;
  readonly json: Buffer | null;
}

interface CheckedRow extends Row {
  readonly checksums: string | null;
}

/** Reads the records of the feed as single items, newest first. */
export class FeedItems {
  readonly #database: Connection;
  readonly #next: Statement<[number, number], Row>;
  readonly #range: Statement<[number, number, number], CheckedRow>;

  constructor(database: Connection) {
    this.#database = database;
    const columns = "group_concat(id) AS ids, group_concat(octet_length(json)) AS lengths, CAST(group_concat(json, ',') AS BLOB) AS json";
    this.#next = database.prepare(`SELECT ${columns}
      FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`);
    this.#range = database.prepare(`SELECT ${columns}, group_concat(CAST(checksum AS INTEGER)) AS checksums
      FROM (SELECT id, json, checksum FROM record WHERE id < ? AND id >= ? ORDER BY id DESC LIMIT +?)`);
  }

  /**
   * Yields all records, and compares them with the checksum of the feed at the end.
   * @throws Failure bad-store
   */
  *all(): Generator<ItemRun<number>, void> {
    let read: Checksum = NOTHING;
    for (let edge = BEYOND; ; ) {
      const run = this.#runOf(this.#next.get(edge, RECORDS), edge);
      if (run === undefined) break;
      edge = run.keys.at(-1) ?? edge;
      read = recordsChecksum(run.json, read);
      yield run;
    }
    const written = feedChecksum(this.#database);
    if (read.crc !== written.crc || read.bytes !== written.bytes)
      throw damaged(this.#database.path, 'a feed that does not match its checksum');
  }

  /**
   * Yields the records with ids below one id down to another one, and compares each with its checksum.
   * @param below undefined to begin with the newest record
   * @throws Failure bad-store
   */
  *range(below: number | undefined, downTo: number): Generator<ItemRun<number>, void> {
    for (let edge = below ?? BEYOND; ; ) {
      const row = this.#range.get(edge, downTo, RECORDS);
      const run = this.#runOf(row, edge);
      if (run === undefined) return;
      this.#check(run, numbersIn(row?.checksums));
      edge = run.keys.at(-1) ?? edge;
      yield run;
    }
  }

  #runOf(row: Row | undefined, below: number): ItemRun<number> | undefined {
    const [keys, lengths] = [numbersIn(row?.ids), numbersIn(row?.lengths)];
    if (row === undefined || row.json === null || keys.length === 0) return undefined;
    let edge = below;
    for (const key of keys) {
      if (key >= edge) throw damaged(this.#database.path, 'records out of order');
      edge = key;
    }
    return { keys, lengths, json: row.json };
  }

  #check({ keys, lengths, json }: ItemRun<number>, checksums: readonly number[]): void {
    let start = 0;
    for (const [index, key] of keys.entries()) {
      const end = start + (lengths[index] ?? 0);
      if (crc32(json.subarray(start, end)) !== checksums[index])
        throw damaged(this.#database.path, `record ${key} does not match its checksum`);
      start = end + 1;
    }
  }
}

function numbersIn(text: string | null | undefined): readonly number[] {
  return JSON.parse(`[${text ?? ''}]`);
}
