import type { Row, RowLayout } from '../observe/sorted-run.ts';

/** An observation in a file of a run in shards. Its `input` is the place of the name of its input. */
export interface ShardRow extends Row {
  /** The position of the observation in the order of all inputs: see {@link orderOf}. */
  readonly order: number;
  /** The place of the changes that the fold found; 0 if there are none. */
  readonly changes: number;
}

/** The observations of one shard have numbers below this. */
const SHARD_ORDERS = 2 ** 40;
/** The columns that are places in the file of the row. */
const PLACES = [2, 3, 5, 7];

const SHARD_ROW: Omit<RowLayout<ShardRow>, 'keys'> = {
  columns: 8,
  write: ({ instant, order, profile, archive, account, input, line, changes }, numbers, at) => {
    numbers[at] = instant;
    numbers[at + 1] = order;
    numbers[at + 2] = profile;
    numbers[at + 3] = archive;
    numbers[at + 4] = account;
    numbers[at + 5] = input;
    numbers[at + 6] = line;
    numbers[at + 7] = changes;
  },
  read: (numbers, at) => ({
    instant: numbers[at] ?? 0,
    order: numbers[at + 1] ?? 0,
    profile: numbers[at + 2] ?? 0,
    archive: numbers[at + 3] ?? 0,
    account: numbers[at + 4] ?? 0,
    input: numbers[at + 5] ?? 0,
    line: numbers[at + 6] ?? 0,
    changes: numbers[at + 7] ?? 0,
  }),
};

/** The rows of each account together, in order of time. The rows of a partition follow each other. */
export const BY_ACCOUNT: RowLayout<ShardRow> = { ...SHARD_ROW, keys: [4, 0, 1] };
/** All rows in order of time; rows of one time in the order of the accounts; rows of one account in the order of the inputs. */
export const BY_TIME: RowLayout<ShardRow> = { ...SHARD_ROW, keys: [0, 4, 1] };

/** Returns the position of an observation. The shards follow each other, because each has consecutive inputs. */
export function orderOf(shard: number, index: number): number {
  return shard * SHARD_ORDERS + index;
}

/** Moves the places of rows into the range of one of several files. */
export function movePlaces(rows: Float64Array, by: number): void {
  for (let at = 0; at < rows.length; at += SHARD_ROW.columns) {
    for (const column of PLACES) {
      const place = rows[at + column] ?? 0;
      if (place !== 0) rows[at + column] = place + by;
    }
  }
}
