import type { TemporaryFile } from '../../contract/files/temporary-file.ts';
import { COLUMNS, mergeRuns, type Row, rowsInFile, type SortColumns, SortedRun, writeRow } from './sorted-run.ts';

/** How many rows are sorted in memory at once: 12 MB. */
const RUN_ROWS = 1 << 18;
/** The size of the buffer at first. It doubles until it holds a run: to clear 12 MB takes half the time of a small run of `observe`. */
const FIRST_ROWS = 1 << 10;
/** How many rows of each run a merge reads at once: at most, and at least. */
const READ_AHEAD_ROWS = 1 << 11;
const MIN_READ_AHEAD_ROWS = 1 << 5;

/**
 * An external sort of rows by three of their columns. Rows that are equal in them keep their input order.
 * Memory holds one run of rows; the other runs are on disk. A merge reads a piece of each: see {@link readAheadRows}.
 */
export class ExternalSorter {
  readonly #spool: TemporaryFile;
  readonly #columns: SortColumns;
  #rows: Float64Array;
  #buffered = 0;
  #runs = 0;
  #sorter: Sorter | undefined;
  /** The rows of the last run in order, when all rows are added. */
  #last: Float64Array | undefined;

  /** @param spool an empty file for this sorter alone, which it closes */
  constructor(spool: TemporaryFile, columns: SortColumns) {
    this.#spool = spool;
    this.#columns = columns;
    this.#rows = new Float64Array(FIRST_ROWS * COLUMNS);
  }

  get length(): number {
    return this.#runs * RUN_ROWS + this.#buffered;
  }

  add(row: Row): void {
    if (this.#buffered === RUN_ROWS) this.#spill();
    const at = this.#buffered * COLUMNS;
    if (at === this.#rows.length) {
      const rows = new Float64Array(at * 2);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    writeRow(row, this.#rows, at);
    this.#buffered += 1;
  }

  /** Returns all rows in order. No row can be added afterwards. */
  *inOrder(): Generator<Row> {
    const runs: SortedRun[] = [];
    const pieceRows = readAheadRows(this.#runs);
    for (let number = 0; number < this.#runs; number += 1) {
      const rows = rowsInFile(this.#spool, number * RUN_ROWS, RUN_ROWS, pieceRows);
      runs.push(new SortedRun(number, rows, this.#columns));
    }
    this.#last ??= this.#ordered();
    runs.push(new SortedRun(this.#runs, [this.#last].values(), this.#columns));
    yield* mergeRuns(runs);
  }

  close(): void {
    this.#spool.close();
  }

  #spill(): void {
    const rows = this.#ordered();
    this.#spool.write(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength), this.#runs * this.#rows.byteLength);
    this.#runs += 1;
    this.#buffered = 0;
  }

  #ordered(): Float64Array {
    // no later run has more rows
    this.#sorter ??= new Sorter(this.#columns, this.#buffered);
    return this.#sorter.sorted(this.#rows.subarray(0, this.#buffered * COLUMNS));
  }
}

/**
 * Returns how many rows of each run a merge reads at once. All of them together are at most as many as a run has, up to 8,192 runs. Then
 * memory grows by {@link MIN_READ_AHEAD_ROWS} for each run.
 */
export function readAheadRows(runs: number): number {
  return Math.max(MIN_READ_AHEAD_ROWS, Math.min(READ_AHEAD_ROWS, Math.floor(RUN_ROWS / Math.max(1, runs))));
}

/** Sorts the rows of a run. Its buffers are reused for every run. */
class Sorter {
  readonly #columns: SortColumns;
  readonly #firsts: Float64Array;
  readonly #order: Uint32Array;
  readonly #sorted: Float64Array;

  /** @param most how many rows a run has at most */
  constructor(columns: SortColumns, most: number) {
    this.#columns = columns;
    this.#firsts = new Float64Array(most);
    this.#order = new Uint32Array(most);
    this.#sorted = new Float64Array(most * COLUMNS);
  }

  /** Returns the sorted rows, which stay valid until the next call. */
  sorted(rows: Float64Array): Float64Array {
    const [first, second, third] = this.#columns;
    const length = rows.length / COLUMNS;
    const [firsts, order] = [this.#firsts, this.#order.subarray(0, length)];
    for (let index = 0; index < length; index += 1) {
      firsts[index] = rows[index * COLUMNS + first] ?? 0;
      order[index] = index;
    }
    const keyOf = (index: number, key: number) => rows[index * COLUMNS + key] ?? 0;
    order.sort(
      (a, b) => (firsts[a] ?? 0) - (firsts[b] ?? 0) || keyOf(a, second) - keyOf(b, second) || keyOf(a, third) - keyOf(b, third) || a - b,
    );
    let to = 0;
    for (const from of order) {
      for (let column = 0; column < COLUMNS; column += 1) this.#sorted[to + column] = rows[from * COLUMNS + column] ?? 0;
      to += COLUMNS;
    }
    return this.#sorted.subarray(0, to);
  }
}
