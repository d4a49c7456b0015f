import { readSync } from 'node:fs';
import type { Instant } from '../contract/instant.ts';

/** One observation: its time, and the places of its other parts. */
export interface Row {
  readonly instant: Instant;
  /** The place of the profile in the string pool. */
  readonly profile: number;
  /** The place of the URL of its archived copy; 0 if there is none. */
  readonly archive: number;
  /** The number of its account, which orders rows of one time: see partition.ts. */
  readonly account: number;
  /** The number of its input, from 0, and the line. */
  readonly input: number;
  readonly line: number;
}

/** How rows of one kind are stored as numbers, and in which order they are sorted. */
export interface RowLayout<R> {
  /** A row is stored as this many numbers. */
  readonly columns: number;
  /** The numbers by which rows are sorted. Rows that are equal in all of them keep their order. */
  readonly keys: readonly [first: number, second: number, third: number];
  readonly write: (row: R, numbers: Float64Array, at: number) => void;
  readonly read: (numbers: Float64Array, at: number) => R;
}

/**
 * The rows of a run of `observe`, in order of time. Rows of one time are in the order of their accounts, so that the order of the inputs
 * does not show. Rows of one account and time are in the order of the inputs.
 */
export const BY_TIME: RowLayout<Row> = {
  columns: 6,
  keys: [0, 3, 4],
  write: ({ instant, profile, archive, account, input, line }, numbers, at) => {
    numbers[at] = instant;
    numbers[at + 1] = profile;
    numbers[at + 2] = archive;
    numbers[at + 3] = account;
    numbers[at + 4] = input;
    numbers[at + 5] = line;
  },
  read: (numbers, at) => ({
    instant: numbers[at] ?? 0,
    profile: numbers[at + 1] ?? 0,
    archive: numbers[at + 2] ?? 0,
    account: numbers[at + 3] ?? 0,
    input: numbers[at + 4] ?? 0,
    line: numbers[at + 5] ?? 0,
  }),
};

/** The rows of `normalize`: those of each account together, in order of time. */
export const BY_ACCOUNT: RowLayout<Row> = { ...BY_TIME, keys: [3, 0, 4] };

/** The size of a number in a file, in bytes. */
const NUMBER_BYTES = 8;

/** Yields rows of a file, in pieces of `pieceRows`. Each piece is valid until the next one. */
export function* rowsInFile(file: number, first: number, length: number, columns: number, pieceRows: number): Generator<Float64Array> {
  const memory = new Float64Array(pieceRows * columns);
  for (let done = 0; done < length; done += pieceRows) {
    const rows = memory.subarray(0, Math.min(pieceRows, length - done) * columns);
    readFully(file, new Uint8Array(rows.buffer, 0, rows.byteLength), (first + done) * columns * NUMBER_BYTES);
    yield rows;
  }
}

/** A cursor over the rows of a run during a merge. */
export class SortedRun<R> {
  readonly number: number;
  readonly #layout: RowLayout<R>;
  readonly #source: Iterator<Float64Array>;
  #rows: Float64Array = new Float64Array(0);
  #at: number;
  first = 0;
  second = 0;
  third = 0;

  /** @param source the rows of the run in pieces; each piece is consumed before the next is requested */
  constructor(number: number, source: Iterator<Float64Array>, layout: RowLayout<R>) {
    this.number = number;
    this.#source = source;
    this.#layout = layout;
    this.#at = -layout.columns;
  }

  /** Moves to the next row. Returns false at the end. */
  advance(): boolean {
    const { columns, keys } = this.#layout;
    this.#at += columns;
    if (this.#at >= this.#rows.length) {
      const piece = this.#source.next();
      if (piece.done || piece.value.length === 0) return false;
      this.#rows = piece.value;
      this.#at = 0;
    }
    this.first = this.#rows[this.#at + keys[0]] ?? 0;
    this.second = this.#rows[this.#at + keys[1]] ?? 0;
    this.third = this.#rows[this.#at + keys[2]] ?? 0;
    return true;
  }

  row(): R {
    return this.#layout.read(this.#rows, this.#at);
  }
}

/** Merges sorted runs. The runs are kept in a heap. */
export function* mergeRuns<R>(runs: readonly SortedRun<R>[]): Generator<R> {
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
function sift<R>(heap: SortedRun<R>[], from: number): void {
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

function isBefore<R>(one: SortedRun<R>, other: SortedRun<R>): boolean {
  if (one.first !== other.first) return one.first < other.first;
  if (one.second !== other.second) return one.second < other.second;
  return one.third < other.third || (one.third === other.third && one.number < other.number);
}

function readFully(file: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(file, into, done, into.length - done, position + done);
    if (read === 0) throw new Error('the row file is shorter than the data written to it');
    done += read;
  }
}
