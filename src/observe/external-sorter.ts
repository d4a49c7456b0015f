import { writeSync } from 'node:fs';
import { COLUMNS, mergeRuns, ROW_BYTES, type Row, rowsInFile, SortedRun } from './sorted-run.ts';
import type { SpoolFile } from './spool-file.ts';

/** How many rows are sorted in memory at once: 12 MB of them. */
const RUN_ROWS = 1 << 18;

/**
 * An external sort of rows by time. Rows of the same time keep their input order.
 * Memory holds one run of rows; the other runs are on disk.
 */
export class ExternalSorter {
  readonly #spool: SpoolFile;
  readonly #rows = new Float64Array(RUN_ROWS * COLUMNS);
  #buffered = 0;
  #runs = 0;
  #isOrdered = true;
  #latest = 0;
  #sorter: Sorter | undefined;

  /** @param spool an empty file for this sorter alone, which it closes */
  constructor(spool: SpoolFile) {
    this.#spool = spool;
  }

  get length(): number {
    return this.#runs * RUN_ROWS + this.#buffered;
  }

  add(row: Row): void {
    if (this.#buffered === RUN_ROWS) this.#spill();
    const { moment, profile, archive, account, input, line } = row;
    const at = this.#buffered * COLUMNS;
    this.#rows[at] = moment;
    this.#rows[at + 1] = profile;
    this.#rows[at + 2] = archive;
    this.#rows[at + 3] = account;
    this.#rows[at + 4] = input;
    this.#rows[at + 5] = line;
    this.#buffered += 1;
    if (moment < this.#latest) this.#isOrdered = false;
    this.#latest = moment;
  }

  /** Returns all rows in order. No row can be added afterwards. */
  *inOrder(): Generator<Row> {
    const runs: SortedRun[] = [];
    for (let number = 0; number < this.#runs; number += 1)
      runs.push(new SortedRun(number, rowsInFile(this.#spool.descriptor, number * RUN_ROWS, RUN_ROWS)));
    runs.push(new SortedRun(this.#runs, [this.#ordered()].values()));
    yield* mergeRuns(runs);
  }

  close(): void {
    this.#spool.close();
  }

  #spill(): void {
    writeFully(this.#spool.descriptor, this.#ordered(), this.#runs * RUN_ROWS * ROW_BYTES);
    this.#runs += 1;
    this.#buffered = 0;
    this.#isOrdered = true;
    this.#latest = 0;
  }

  #ordered(): Float64Array {
    const rows = this.#rows.subarray(0, this.#buffered * COLUMNS);
    if (this.#isOrdered) return rows;
    this.#sorter ??= new Sorter();
    return this.#sorter.sorted(rows);
  }
}

/** Sorts the rows of a run. Its buffers are reused for every run. */
class Sorter {
  readonly #moments = new Float64Array(RUN_ROWS);
  readonly #order = new Uint32Array(RUN_ROWS);
  readonly #sorted = new Float64Array(RUN_ROWS * COLUMNS);

  /** Returns the sorted rows, which stay valid until the next call. */
  sorted(rows: Float64Array): Float64Array {
    const length = rows.length / COLUMNS;
    const [moments, order] = [this.#moments, this.#order.subarray(0, length)];
    for (let index = 0; index < length; index += 1) {
      moments[index] = rows[index * COLUMNS] ?? 0;
      order[index] = index;
    }
    order.sort((a, b) => (moments[a] ?? 0) - (moments[b] ?? 0) || a - b);
    let to = 0;
    for (const from of order) {
      for (let field = 0; field < COLUMNS; field += 1) this.#sorted[to + field] = rows[from * COLUMNS + field] ?? 0;
      to += COLUMNS;
    }
    return this.#sorted.subarray(0, to);
  }
}

function writeFully(file: number, rows: Float64Array, position: number): void {
  const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
