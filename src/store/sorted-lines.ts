import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapErrors } from './store-error.ts';

/** The size of the lines that are sorted in memory at once, in UTF-16 units. */
const RUN_UNITS = 1 << 22;
/** The number of bytes that a merge reads from a run at once. */
const PIECE = 1 << 16;

const LINE_END = 0x0a;

/** The name of the temporary file in errors. */
const NAME = 'the temporary file of a sort';

/**
 * Yields lines sorted by their UTF-16 units. Lines that do not fit in memory are sorted in runs in a temporary file, which
 * are merged, so memory stays flat.
 * @param lines well-formed texts without line breaks
 * @param runUnits the size of a run
 * @throws Failure file-system
 */
export function* sortedLines(lines: Iterable<string>, runUnits: number = RUN_UNITS): Generator<string> {
  const file = new RunFile();
  try {
    let [run, units]: [string[], number] = [[], 0];
    for (const line of lines) {
      run.push(line);
      units += line.length;
      if (units < runUnits) continue;
      file.add(run.sort());
      [run, units] = [[], 0];
    }
    run.sort();
    if (file.runs === 0) yield* run;
    else yield* merged([...Array.from({ length: file.runs }, (_, index) => file.lines(index)), run.values()]);
  } finally {
    file.close();
  }
}

/** Sorted runs of lines in a temporary file. */
class RunFile {
  #file: number | undefined;
  #folder = '';
  /** Where each run ends. */
  readonly #ends: number[] = [];

  get runs(): number {
    return this.#ends.length;
  }

  add(lines: readonly string[]): void {
    wrapErrors(NAME, () => {
      if (this.#file === undefined) {
        this.#folder = mkdtempSync(join(tmpdir(), `palimpsest-sort-${process.pid}-`));
        this.#file = openSync(join(this.#folder, 'runs'), 'wx+', 0o600);
      }
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const start = this.#ends.at(-1) ?? 0;
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done, bytes.length - done, start + done);
      this.#ends.push(start + bytes.length);
    });
  }

  *lines(run: number): Generator<string, undefined> {
    const piece = Buffer.allocUnsafe(PIECE);
    let rest: Buffer = Buffer.alloc(0);
    const end = this.#ends[run] ?? 0;
    for (let at = this.#ends[run - 1] ?? 0; at < end; ) {
      const read = this.#read(piece, at, Math.min(PIECE, end - at));
      at += read;
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      const whole = bytes.lastIndexOf(LINE_END) + 1;
      rest = bytes.subarray(whole);
      if (whole > 0) yield* bytes.toString('utf8', 0, whole - 1).split('\n');
    }
    return undefined;
  }

  #read(into: Buffer, at: number, length: number): number {
    return wrapErrors(NAME, () => {
      const read = this.#file === undefined ? 0 : readSync(this.#file, into, 0, length, at);
      if (read === 0) throw new Error('the temporary file of a sort is shorter than the data written to it');
      return read;
    });
  }

  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The next line of a run. */
interface Head {
  line: string;
  readonly run: Iterator<string, undefined>;
}

/** Merges sorted runs. The runs are kept in a heap. */
function* merged(runs: readonly Iterator<string, undefined>[]): Generator<string> {
  const heap: Head[] = [];
  for (const run of runs) {
    const { value } = run.next();
    if (value !== undefined) heap.push({ line: value, run });
  }
  // a sorted list is a heap
  heap.sort((a, b) => (a.line < b.line ? -1 : 1));
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.line;
    const { value } = first.run.next();
    if (value !== undefined) {
      first.line = value;
      sink(heap, first);
      continue;
    }
    const last = heap.pop();
    if (last !== undefined && last !== first) sink(heap, last);
  }
}

/** Puts a head at the top of the heap, and moves it down until it is before those below it. */
function sink(heap: Head[], head: Head): void {
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    const [left, right] = [heap[below], heap[below + 1]];
    if (left !== undefined && right !== undefined && right.line < left.line) below += 1;
    const least = heap[below];
    if (least === undefined || least.line >= head.line) break;
    heap[at] = least;
    at = below;
  }
  heap[at] = head;
}
