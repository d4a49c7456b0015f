import type { Pauses } from '../contract/pauses.ts';
import type { FoldedChange } from './fold.ts';
import { foldShare } from './fold-share.ts';
import { partitionOf } from './partition.ts';
import type { FoldedRows } from './partition-fold.ts';
import type { Row } from './sorted-run.ts';
import type { Spool } from './spool.ts';
import type { Threads } from './threads.ts';

/** The maximum number of rows in a window. */
const WINDOW_ROWS = 1 << 11;
/** The number of rows in the first windows, whose changes may be large. */
const FIRST_ROWS = 1 << 5;
/** A window has at most about this many rows with changes, and this much text in its changes, in UTF-16 units. */
const WINDOW_CHANGES = 1 << 8;
const WINDOW_UNITS = 1 << 20;
/** How many windows the threads fold while one is merged. */
const WINDOWS_AHEAD = 8;

/** Consecutive rows in order of time, with the changes that a fold found. */
export interface FoldedWindow {
  readonly rows: readonly Row[];
  /** The changes of each row that has changes, by the index of the row in the window. */
  readonly changes: ReadonlyMap<number, readonly FoldedChange[]>;
}

const NO_CHANGES: FoldedWindow['changes'] = new Map();

/** Yields all rows of a spool in order of time. The merge finds all changes itself. */
export async function* unfoldedWindows(spool: Spool): AsyncGenerator<FoldedWindow> {
  for (const rows of windowsOf(spool, () => WINDOW_ROWS)) yield { rows, changes: NO_CHANGES };
}

/** A window that threads fold. */
interface FoldingWindow {
  readonly window: Promise<FoldedWindow>;
  isDone: boolean;
}

/**
 * Yields all rows of a spool in order of time, with their changes. Each thread folds one partition. The merge computes some of the
 * changes itself, so that no thread waits for another: see {@link foldShare}.
 */
export async function* foldedWindows(spool: Spool, threads: Threads, pauses: Pauses): AsyncGenerator<FoldedWindow> {
  let share = foldShare(threads.length, 1, 2);
  let rowsOfWindow = FIRST_ROWS;
  const startFold = (rows: readonly Row[]): FoldingWindow => {
    const folded = partitionsOf(rows, threads.length).map((partition, thread) => {
      const request = { kind: 'fold', descriptors: spool.descriptors, rows: partition, share } as const;
      return threads.ask(thread, request, [partition.buffer]);
    });
    const started = { window: Promise.all(folded).then((all) => joined(rows, all)), isDone: false };
    started.window.then(
      () => {
        started.isDone = true;
      },
      () => {},
    );
    return started;
  };
  const queue: FoldingWindow[] = [];
  for (const rows of windowsOf(spool, () => rowsOfWindow)) {
    queue.push(startFold(rows));
    if (queue.length <= WINDOWS_AHEAD) continue;
    // answers of the threads can arrive only during a pause
    await pauses.take();
    share = foldShare(threads.length, queue.filter(({ isDone }) => isDone).length, queue.length);
    const first = queue.shift();
    if (first === undefined) continue;
    const window = await pauses.until(first.window);
    rowsOfWindow = rowsAfter(window);
    yield window;
  }
  for (const { window } of queue) yield await pauses.until(window);
}

/** Returns how many rows the next window should have: at most twice as many as this one, and fewer if its changes are many or large. */
export function rowsAfter({ rows, changes }: FoldedWindow): number {
  let units = 0;
  for (const found of changes.values())
    for (const { before, text, diff_html } of found) units += (before?.length ?? 0) + (text?.length ?? 0) + diff_html.length;
  const share = Math.max(1 / 2, changes.size / WINDOW_CHANGES, units / WINDOW_UNITS);
  return Math.max(1, Math.min(WINDOW_ROWS, Math.floor(rows.length / share)));
}

function* windowsOf(spool: Spool, length: () => number): Generator<readonly Row[]> {
  let rows: Row[] = [];
  for (const row of spool.inOrder()) {
    rows.push(row);
    if (rows.length < length()) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** Divides rows by their accounts, in the form that {@link PartitionFold} reads. */
function partitionsOf(rows: readonly Row[], partitions: number): Float64Array<ArrayBuffer>[] {
  const numbers = Array.from({ length: partitions }, (): number[] => []);
  for (const { instant, profile, account } of rows) numbers[partitionOf(account, partitions)]?.push(instant, profile, account);
  return numbers.map((partition) => Float64Array.from(partition));
}

/** Joins the results of the partitions of a window, in the order of its rows. */
function joined(rows: readonly Row[], folded: readonly FoldedRows[]): FoldedWindow {
  const cursors = folded.map((partition) => ({ ...partition, row: 0, change: 0 }));
  const changes = new Map<number, readonly FoldedChange[]>();
  const joinedRows = rows.map((row, index) => {
    const cursor = cursors[partitionOf(row.account, cursors.length)];
    if (cursor === undefined) return row;
    const found = cursor.changed[cursor.change] === cursor.row ? cursor.changes[cursor.change] : undefined;
    if (found !== undefined) {
      changes.set(index, found);
      cursor.change += 1;
    }
    const profile = cursor.profiles[cursor.row] ?? row.profile;
    cursor.row += 1;
    return profile === row.profile ? row : { ...row, profile };
  });
  return { rows: joinedRows, changes };
}
