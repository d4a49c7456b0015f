import type { Pauses } from '../contract/pauses.ts';
import type { FoldedChange } from './fold.ts';
import { partitionOf } from './partition.ts';
import type { FoldedRows } from './partition-fold.ts';
import type { Row } from './sorted-run.ts';
import type { Spool } from './spool.ts';
import type { Threads } from './threads.ts';

/** How many rows are folded and merged at a time. Threads fold the next windows while one is merged. */
const WINDOW_ROWS = 1 << 11;
const WINDOWS_AHEAD = 3;

/** Some rows in order of time, with the changes that a fold found. */
export interface FoldedWindow {
  readonly rows: readonly Row[];
  /** The changes of the rows with changes, by their number in the window. */
  readonly changes: ReadonlyMap<number, readonly FoldedChange[]>;
}

const NO_CHANGES: FoldedWindow['changes'] = new Map();

/** Yields all rows of a spool in order of time. The merge finds all changes itself. */
export async function* unfoldedWindows(spool: Spool): AsyncGenerator<FoldedWindow> {
  for (const rows of windowsOf(spool)) yield { rows, changes: NO_CHANGES };
}

/** Yields all rows of a spool in order of time, with their changes. Each thread folds one partition. */
export async function* foldedWindows(spool: Spool, threads: Threads, pauses: Pauses): AsyncGenerator<FoldedWindow> {
  const queue: (() => Promise<FoldedWindow>)[] = [];
  for (const rows of windowsOf(spool)) {
    const folded = partitionsOf(rows, threads.length).map((partition, thread) => {
      return threads.ask(thread, { kind: 'fold', descriptors: spool.descriptors, rows: partition }, [partition.buffer]);
    });
    queue.push(async () => joined(rows, await pauses.until(Promise.all(folded))));
    const first = queue.length > WINDOWS_AHEAD ? queue.shift() : undefined;
    if (first !== undefined) yield await first();
  }
  for (const rest of queue) yield await rest();
}

function* windowsOf(spool: Spool): Generator<readonly Row[]> {
  let rows: Row[] = [];
  for (const row of spool.inOrder()) {
    rows.push(row);
    if (rows.length < WINDOW_ROWS) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** Divides rows by their accounts, in the form that {@link PartitionFold} reads. */
function partitionsOf(rows: readonly Row[], partitions: number): Float64Array<ArrayBuffer>[] {
  const numbers = Array.from({ length: partitions }, (): number[] => []);
  for (const { moment, profile, account } of rows) numbers[partitionOf(account, partitions)]?.push(moment, profile, account);
  return numbers.map((partition) => Float64Array.from(partition));
}

/** Joins what the partitions of a window returned, in the order of the rows. */
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
