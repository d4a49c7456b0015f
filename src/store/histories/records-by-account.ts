import { numbersIn } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { wrapErrors } from '../database/store-error.ts';
import { RecordWindow } from './record-window.ts';
import { openSpool, type SpoolFile } from './spool-file.ts';

/** The size of the records that are grouped in memory at once, in bytes. */
const WINDOW_BYTES = 1 << 21;
/** The number of records that one query reads. */
const BATCH_SIZE = 500;
/** The estimated size of an account beside its records, in bytes: memory has its profile too. */
const ACCOUNT_BYTES = 200;

/** Some records: the rows of their accounts and their lengths in bytes, separated by commas, and their JSON. */
interface RecordRows {
  readonly accounts: string;
  readonly lengths: string;
  readonly json: Buffer;
}

const NO_ROWS: RecordRows = { accounts: '', lengths: '', json: Buffer.alloc(0) };

/**
 * Groups the records of all parts in `temp.stale` by part. Reads the feed once, in its order, because a search for the
 * records of each account takes several times as long. This is an external sort: the parts are divided into windows of
 * consecutive rows. Memory has the records of one window, and a temporary file beside the store has those of the others.
 * A window takes about the same number of bytes.
 */
export class RecordsByAccount {
  readonly #database: Connection;
  readonly #spool: SpoolFile;
  /** The windows in the order of their rows. */
  readonly windows: readonly RecordWindow[];

  /** @param windowBytes the approximate size of a window in bytes */
  constructor(database: Connection, windowBytes: number = WINDOW_BYTES) {
    this.#database = database;
    this.#spool = wrapErrors(database.path, () => openSpool(database.path));
    const file = { spool: this.#spool, length: 0, read: Buffer.alloc(0) };
    let first = 1;
    this.windows = windowEnds(database, windowBytes).map((end) => {
      const window = new RecordWindow(file, first, end);
      first = end;
      return window;
    });
  }

  /** Reads all records. Yields after each batch. Must be run to its end before a window is read. */
  *read(): Generator<void> {
    const database = this.#database;
    database.exec(`
      CREATE TEMP TABLE record_order AS SELECT record.id AS id, stale.rowid AS account
        FROM temp.stale CROSS JOIN record ON record.account = stale.id AND record.id BETWEEN oldest AND newest
        ORDER BY record.id DESC`);
    const next = database.prepare<[number, number], RecordRows>(`
      SELECT ifnull(group_concat(account), '') AS accounts, ifnull(group_concat(ifnull(octet_length(json), 0)), '') AS lengths,
        CAST(ifnull(group_concat(json, ''), '') AS BLOB) AS json
      FROM (SELECT record_order.account AS account, json FROM temp.record_order CROSS JOIN record USING (id)
        WHERE record_order.rowid > ? AND record_order.rowid <= ? ORDER BY record_order.rowid LIMIT -1)`);
    const all = Number(database.value('SELECT count(*) FROM temp.record_order'));
    for (let row = 0; row < all; row += BATCH_SIZE) {
      wrapErrors(database.path, () => this.#add(next.get(row, row + BATCH_SIZE)));
      yield;
    }
    database.exec('DROP TABLE temp.record_order');
  }

  close(): void {
    this.#spool.close();
  }

  #add({ accounts, lengths, json }: RecordRows = NO_ROWS): void {
    const ends = numbersIn(lengths);
    let start = 0;
    for (const [index, row] of numbersIn(accounts).entries()) {
      const end = start + (ends[index] ?? 0);
      this.#windowOf(row)?.add(row, json, start, end);
      start = end;
    }
  }
  #windowOf(row: number): RecordWindow | undefined {
    let [low, high] = [0, this.windows.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row < (this.windows[middle]?.end ?? 0)) high = middle;
      else low = middle + 1;
    }
    return this.windows[low];
  }
}

/** Returns the row after each window, in order. Accounts end a window where the sum of their sizes reaches a multiple of its bytes. */
function windowEnds(database: Connection, windowBytes: number): number[] {
  const bytes = Number(database.value('SELECT sum(bytes) FROM feed_block'));
  const { records, accounts } = database
    .prepare<[], { readonly records: number; readonly accounts: number }>(
      'SELECT total(records) AS records, count(*) AS accounts FROM temp.stale',
    )
    .get() ?? { records: 0, accounts: 0 };
  const recordBytes = Math.ceil(bytes / Math.max(1, records));
  const ends = database.prepare<[], number>(`
    WITH sized AS (SELECT rowid AS row, ${ACCOUNT_BYTES} + records * ${recordBytes} AS bytes FROM temp.stale),
      summed AS (SELECT row, bytes, sum(bytes) OVER (ORDER BY row) AS total FROM sized)
    SELECT row + 1 FROM summed
    WHERE row < ${accounts} AND total / ${windowBytes} > (total - bytes) / ${windowBytes}
    ORDER BY row`);
  return [...ends.pluck().all(), accounts + 1];
}
