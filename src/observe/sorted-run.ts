import { readSync } from 'node:fs';
import type { Instant } from '../contract/instant.ts';

/** One profile seen at one moment, by where the rest of it is kept. */
export interface Row {
  readonly moment: Instant;
  /** Where the profile lies. */
  readonly profile: number;
  /** Where the address of its archived copy lies; 0: it has none. */
  readonly archive: number;
  /** The input it came from, counted from 0, and the line. */
  readonly input: number;
  readonly line: number;
}

/** A row as a row of numbers: so many, in so many bytes. */
export const COLUMNS = 5;
export const ROW_BYTES: number = COLUMNS * 8;
/** How many rows of each run are read at once when runs are merged. */
const READ_AHEAD_ROWS = 1 << 11;

/** Rows that lie in a file, some at a time. */
export function* rowsInFile(file: number, first: number, length: number): Generator<Float64Array> {
  const memory = new Float64Array(READ_AHEAD_ROWS * COLUMNS);
  for (let done = 0; done < length; done += READ_AHEAD_ROWS) {
    const rows = memory.subarray(0, Math.min(READ_AHEAD_ROWS, length - done) * COLUMNS);
    readWhole(file, new Uint8Array(rows.buffer, 0, rows.byteLength), (first + done) * ROW_BYTES);
    yield rows;
  }
}

/** A run that is being merged: it stands at one of its rows. */
export class SortedRun {
  readonly number: number;
  readonly #source: Iterator<Float64Array>;
  #rows: Float64Array = new Float64Array(0);
  #at = -COLUMNS;
  moment = 0;

  /** @param source the run's rows, some at a time; each piece is used up before the next is asked for */
  constructor(number: number, source: Iterator<Float64Array>) {
    this.number = number;
    this.#source = source;
  }

  /** False at its end. */
  advance(): boolean {
    this.#at += COLUMNS;
    if (this.#at >= this.#rows.length) {
      const piece = this.#source.next();
      if (piece.done || piece.value.length === 0) return false;
      this.#rows = piece.value;
      this.#at = 0;
    }
    this.moment = this.#rows[this.#at] ?? 0;
    return true;
  }

  row(): Row {
    const [rows, at] = [this.#rows, this.#at];
    return {
      moment: this.moment,
      profile: rows[at + 1] ?? 0,
      archive: rows[at + 2] ?? 0,
      input: rows[at + 3] ?? 0,
      line: rows[at + 4] ?? 0,
    };
  }
}

/** The rows of several runs, each in order, in the order of all. The runs are kept as a heap. */
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

/** Moves a heap's element down to where those below it come later. */
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
  return one.moment < other.moment || (one.moment === other.moment && one.number < other.number);
}

function readWhole(file: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(file, into, done, into.length - done, position + done);
    if (read === 0) throw new Error('a file of rows is shorter than what was written to it');
    done += read;
  }
}
