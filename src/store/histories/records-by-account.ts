import { openTemporaryFile, type TemporaryFile } from '../../contract/files/temporary-file.ts';
import type { Connection } from '../database/connection.ts';
import { PART_RECORDS } from '../database/schema.ts';
import { damaged, wrapErrors } from '../database/store-error.ts';
import type { BlockRecords } from '../feed/feed-blocks.ts';
import { type GatheredPart, staleParts } from './stale-parts.ts';

/** The size of the records that are grouped in memory at once, in bytes. */
const WINDOW_BYTES = 1 << 21;
/** The estimated size of an account beside its records, in bytes: memory has its profile too. */
const ACCOUNT_BYTES = 200;

/**
 * Groups the records of all parts in `temp.stale` by part, while the blocks of the feed are derived, because a search for the
 * records of each account takes several times as long. This is an external sort: the parts are divided into windows of
 * consecutive rows. Memory has the records of one window, and a temporary file beside the store has those of the others.
 * A window takes about the same number of bytes.
 */
export class RecordsByAccount {
  readonly #database: Connection;
  readonly #spool: TemporaryFile;
  readonly #windows: readonly RecordWindow[];
  /** The first row of each window. */
  readonly #starts: Float64Array;
  /** The row numbers of all accounts, ascending. Arrays of numbers take less memory than a map. */
  readonly #accounts: Float64Array;
  /** For each account the row of its next record in `temp.stale`, and how many records that part has already. */
  readonly #rows: Float64Array;
  readonly #counts: Uint16Array;

  /** @param windowBytes the approximate size of a window in bytes */
  constructor(database: Connection, windowBytes: number = WINDOW_BYTES) {
    this.#database = database;
    this.#spool = wrapErrors(database.path, () => openTemporaryFile(database.path));
    const file = { spool: this.#spool, length: 0, read: Buffer.alloc(0) };
    let first = 1;
    this.#windows = windowEnds(database, windowBytes).map((end) => {
      const window = new RecordWindow(file, first, end);
      first = end;
      return window;
    });
    this.#starts = Float64Array.from(this.#windows, ({ first: start }) => start);
    const column = (selected: string) =>
      Float64Array.from(database.values<number>(`SELECT ${selected} FROM temp.stale GROUP BY id ORDER BY id`));
    this.#accounts = column('id');
    this.#rows = column('min(rowid)');
    this.#counts = new Uint16Array(this.#rows.length);
  }

  /**
   * Adds the records of a block. The blocks come with the oldest first.
   * @throws Failure bad-store, file-system
   */
  add({ accounts, lengths, json }: BlockRecords): void {
    wrapErrors(this.#database.path, () => {
      const [owners, bytes] = [numbersIn(accounts), numbersIn(lengths)];
      let end = json.length;
      for (let index = owners.length - 1; index >= 0; index -= 1) {
        const start = end - (bytes[index] ?? 0);
        const row = this.#rowOfNext(owners[index] ?? 0);
        this.#windows[lastUpTo(row, this.#starts)]?.add(row, json, start, end);
        end = start - 1;
      }
    });
  }

  /**
   * Yields all parts with their records. All blocks must have been added.
   * @throws Failure bad-store, file-system
   */
  *parts(): Generator<GatheredPart> {
    const { path } = this.#database;
    for (const window of this.#windows) {
      const grouped = wrapErrors(path, () => window.read());
      for (const stale of staleParts(this.#database, window.first, window.end)) {
        const found = grouped.get(stale.row) ?? [];
        if (found.length !== stale.records) throw damaged(path, `the index record_account and the records of ${stale.screen_name} differ`);
        yield { stale, json: Buffer.concat([...found].reverse()).subarray(0, -1) };
      }
    }
  }

  close(): void {
    this.#spool.close();
  }

  #rowOfNext(account: number): number {
    const index = lastUpTo(account, this.#accounts);
    if (this.#accounts[index] !== account) throw damaged(this.#database.path, 'a record of an account that is not in the store');
    const isFull = this.#counts[index] === PART_RECORDS;
    const row = (this.#rows[index] ?? 0) + (isFull ? 1 : 0);
    this.#rows[index] = row;
    this.#counts[index] = isFull ? 1 : (this.#counts[index] ?? 0) + 1;
    return row;
  }
}

/** Returns numbers that are separated by commas. */
function numbersIn(parts: string): readonly number[] {
  return parts === '' ? [] : parts.split(',').map(Number);
}

/** Returns the index of the last of some ascending numbers that is at most `limit`. */
function lastUpTo(limit: number, numbers: Float64Array): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the row after each window, in order. Accounts end a window where the sum of their sizes reaches a multiple of its bytes. */
function windowEnds(database: Connection, windowBytes: number): number[] {
  // the size of the records is not known yet: the file has little else
  const bytes = Number(database.value('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'));
  const query = 'SELECT total(records) AS records, count(*) AS accounts FROM temp.stale';
  const { records, accounts } = database.get<{ readonly records: number; readonly accounts: number }>(query) ?? { records: 0, accounts: 0 };
  const recordBytes = Math.ceil(bytes / Math.max(1, records));
  const ends = database.values<number>(`
    WITH sized AS (SELECT rowid AS row, ${ACCOUNT_BYTES} + records * ${recordBytes} AS bytes FROM temp.stale),
      summed AS (SELECT row, bytes, sum(bytes) OVER (ORDER BY row) AS total FROM sized)
    SELECT row + 1 FROM summed
    WHERE row < ${accounts} AND total / ${windowBytes} > (total - bytes) / ${windowBytes}
    ORDER BY row`);
  return [...ends, accounts + 1];
}

/** How much of a window is written at once, in bytes. */
const CHUNK_BYTES = 1 << 13;
/** Before each record are the row of its account and its length, as two 32-bit numbers. */
const HEADER_BYTES = 8;
const COMMA = ','.charCodeAt(0);

/** A file to which windows append their chunks. */
interface ChunkFile {
  readonly spool: TemporaryFile;
  /** The length of the file in bytes. */
  length: number;
  /** The bytes of the window that was read last. A new buffer for each window would make the memory grow: malloc fragments it. */
  read: Buffer;
}

interface Chunk {
  readonly at: number;
  readonly length: number;
}

/** The records of accounts with consecutive rows. They are written to a file in chunks, and read back as a whole. */
class RecordWindow {
  /** The first row, and the row after the last. */
  readonly first: number;
  readonly end: number;
  readonly #file: ChunkFile;
  readonly #chunks: Chunk[] = [];
  #buffer = Buffer.alloc(0);
  #used = 0;

  constructor(file: ChunkFile, first: number, end: number) {
    this.#file = file;
    this.first = first;
    this.end = end;
  }

  /** Adds the record in a part of `source`. @param row the row of its account */
  add(row: number, source: Buffer, start: number, end: number): void {
    const length = end - start + 1;
    const needed = HEADER_BYTES + length;
    if (this.#used + needed > this.#buffer.length) {
      this.#write();
      if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(needed, CHUNK_BYTES));
    }
    this.#buffer.writeUInt32LE(row, this.#used);
    this.#buffer.writeUInt32LE(length, this.#used + 4);
    source.copy(this.#buffer, this.#used + HEADER_BYTES, start, end);
    this.#used += needed;
    this.#buffer.writeUInt8(COMMA, this.#used - 1);
  }

  /**
   * Returns the records of each row in the order in which they were added, each with a comma after it. They are valid until another
   * window is read.
   */
  read(): ReadonlyMap<number, readonly Buffer[]> {
    this.#write();
    this.#buffer = Buffer.alloc(0);
    const all = this.#chunks.reduce((sum, { length }) => sum + length, 0);
    if (all > this.#file.read.length) this.#file.read = Buffer.allocUnsafeSlow(all);
    const bytes = this.#file.read.subarray(0, all);
    let end = 0;
    for (const { at, length } of this.#chunks) {
      this.#file.spool.readFully(bytes.subarray(end, end + length), at);
      end += length;
    }
    const grouped = new Map<number, Buffer[]>();
    for (let at = 0; at < bytes.length; ) {
      const [row, start] = [bytes.readUInt32LE(at), at + HEADER_BYTES];
      at = start + bytes.readUInt32LE(at + 4);
      const records = grouped.get(row);
      if (records === undefined) grouped.set(row, [bytes.subarray(start, at)]);
      else records.push(bytes.subarray(start, at));
    }
    return grouped;
  }

  #write(): void {
    if (this.#used === 0) return;
    const chunk = { at: this.#file.length, length: this.#used };
    this.#file.spool.write(this.#buffer.subarray(0, chunk.length), chunk.at);
    this.#file.length += chunk.length;
    this.#chunks.push(chunk);
    this.#used = 0;
  }
}
