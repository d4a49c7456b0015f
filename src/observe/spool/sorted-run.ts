import type { TemporaryFile } from '../../contract/files/temporary-file.ts';
import type { Instant } from '../../contract/instant.ts';

/** One observation: its time, and the places of its other parts. */
export interface Row {
  readonly instant: Instant;
  /** The place of the profile in the string pool. */
  readonly profile: number;
  /** The place of the URL of its archived copy; 0 if there is none. */
  readonly archive: number;
  /** The number of its account, which orders rows of one time. */
  readonly account: number;
  /** The number of its input, from 0, and the line. */
  readonly input: number;
  readonly line: number;
}

/** The columns by which rows are sorted. Rows that are equal in all of them keep their order. */
export type SortColumns = readonly [first: number, second: number, third: number];

/**
 * The order of `observe`: by time. Rows of one time are in the order of their accounts, so that the order of the inputs does not
 * show. Rows of one account and time are in the order of the inputs.
 */
export const BY_TIME: SortColumns = [0, 3, 4];

/** The order of `normalize`: the rows of each account together, in order of time. */
export const BY_ACCOUNT: SortColumns = [3, 0, 4];

/** A row is stored as this many numbers. */
export const COLUMNS = 6;

/** Stores a row as numbers. */
export function writeRow({ instant, profile, archive, account, input, line }: Row, numbers: Float64Array, at: number): void {
  numbers[at] = instant;
  numbers[at + 1] = profile;
  numbers[at + 2] = archive;
  numbers[at + 3] = account;
  numbers[at + 4] = input;
  numbers[at + 5] = line;
}

function readRow(numbers: Float64Array, at: number): Row {
  return {
    instant: numbers[at] ?? 0,
    profile: numbers[at + 1] ?? 0,
    archive: numbers[at + 2] ?? 0,
    account: numbers[at + 3] ?? 0,
    input: numbers[at + 4] ?? 0,
    line: numbers[at + 5] ?? 0,
  };
}

/** The size of a number in a file, in bytes. */
const NUMBER_BYTES = 8;

/** Yields rows of a file, in pieces of `pieceRows`. Each piece is valid until the next one. */
export function* rowsInFile(file: TemporaryFile, first: number, length: number, pieceRows: number): Generator<Float64Array> {
  const memory = new Float64Array(pieceRows * COLUMNS);
  for (let done = 0; done < length; done += pieceRows) {
    const rows = memory.subarray(0, Math.min(pieceRows, length - done) * COLUMNS);
    file.readFully(new Uint8Array(rows.buffer, 0, rows.byteLength), (first + done) * COLUMNS * NUMBER_BYTES);
    yield rows;
  }
}

/** A cursor over the rows of a run during a merge. */
export class SortedRun {
  readonly number: number;
  readonly #columns: SortColumns;
  readonly #source: Iterator<Float64Array>;
  #rows: Float64Array = new Float64Array(0);
  #at: number;
  first = 0;
  second = 0;
  third = 0;

  /** @param source the rows of the run in pieces; each piece is consumed before the next is requested */
  constructor(number: number, source: Iterator<Float64Array>, columns: SortColumns) {
    this.number = number;
    this.#source = source;
    this.#columns = columns;
    this.#at = -COLUMNS;
  }

  /** Moves to the next row. Returns false at the end. */
  advance(): boolean {
    const columns = this.#columns;
    this.#at += COLUMNS;
    if (this.#at >= this.#rows.length) {
      const piece = this.#source.next();
      if (piece.done || piece.value.length === 0) return false;
      this.#rows = piece.value;
      this.#at = 0;
    }
    this.first = this.#rows[this.#at + columns[0]] ?? 0;
    this.second = this.#rows[this.#at + columns[1]] ?? 0;
    this.third = this.#rows[this.#at + columns[2]] ?? 0;
    return true;
  }

  row(): Row {
    return readRow(this.#rows, this.#at);
  }
}

/** Merges sorted runs. The runs are kept in a heap. */
export function* mergeRuns(runs: readonly SortedRun[]): Generator<Row> {
  const heap = runs.filter((run) => run.advance());
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sift(heap, index);
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.row();
    if (!first.advance()) {
      const last = heap.pop();
      if (last === undefined || last === first) continue;
      heap[0] = last;
    }
    sift(heap, 0);
  }
}

/** Moves an element of the heap down until it is before its children. */
function sift(heap: SortedRun[], from: number): void {
  const moved = heap[from];
  if (moved === undefined) return;
  let at = from;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
    const below = heap[child];
    if (below === undefined || !isBefore(below, moved)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = moved;
}

function isBefore(one: SortedRun, other: SortedRun): boolean {
  if (one.first !== other.first) return one.first < other.first;
  if (one.second !== other.second) return one.second < other.second;
  return one.third < other.third || (one.third === other.third && one.number < other.number);
}
