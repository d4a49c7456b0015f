import type { Place } from '../contract/failure.ts';
import type { Observation } from '../contract/observation.ts';
import { Violation } from '../contract/shape.ts';
import type { FoldedChange } from '../observe/fold.ts';
import type { FoldedWindow } from '../observe/fold-windows.ts';
import { mergeRuns, type Row, SortedRun } from '../observe/sorted-run.ts';
import { observationAt } from '../observe/spool.ts';
import { POOL_PLACES, textAt } from '../observe/string-pool.ts';
import { parseChanges } from './folded-changes.ts';
import { damaged, type LocalRange } from './rows-file.ts';
import { BY_TIME, type ShardRow } from './shard-row.ts';

/** How many rows are merged at a time. */
const WINDOW_ROWS = 1 << 11;

/** The observations in the files of all partitions. */
export class PartitionFiles {
  readonly length: number;
  readonly #ranges: readonly LocalRange[];
  readonly #descriptors: readonly number[];

  /** @param ranges the rows of each partition */
  constructor(ranges: readonly LocalRange[]) {
    this.#ranges = ranges;
    this.#descriptors = ranges.map(({ descriptor }) => descriptor);
    this.length = ranges.reduce((sum, { length }) => sum + length, 0);
  }

  observation(row: Row): Observation {
    return observationAt(this.#descriptors, row);
  }

  place({ input, line }: Row): Place {
    return { file: textAt(this.#descriptors, input), line };
  }

  /** Yields all rows in order of time, with the changes that the folds found. */
  async *windows(): AsyncGenerator<FoldedWindow> {
    let rows: Row[] = [];
    let changes = new Map<number, readonly FoldedChange[]>();
    for (const row of this.inOrder()) {
      if (row.changes !== 0) changes.set(rows.length, this.#changesAt(row.changes));
      rows.push(row);
      if (rows.length < WINDOW_ROWS) continue;
      yield { rows, changes };
      rows = [];
      changes = new Map();
    }
    yield { rows, changes };
  }

  /** @throws Failure bad-shard */
  #changesAt(place: number): readonly FoldedChange[] {
    try {
      return parseChanges(textAt(this.#descriptors, place));
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw damaged(this.#ranges[Math.floor(place / POOL_PLACES)]?.address ?? '', error.expected, error.found);
    }
  }

  inOrder(): Generator<ShardRow> {
    return mergeRuns(this.#ranges.map((range, number) => new SortedRun(number, range.rows(number * POOL_PLACES), BY_TIME)));
  }
}
