import { checksumOf } from '../check/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';
import { feedBlocks, idAt, jsonOfBlock } from './feed-blocks.ts';
import { type DatedRecord, daysIn, visitDays } from './record-dates.ts';

export interface FeedDay {
  /** Such as `2024-03-05`. */
  readonly date: string;
  /** The number of records that have a record of the same field before them, and of those that do not. */
  readonly changes: number;
  readonly first_values: number;
  /** The newest record in the order of the feed, and the number of records before it. */
  readonly newest: number;
  readonly before: number;
}

/** Is called with each record, from the newest on, and the number of records before it. */
export type FeedVisitor = (record: DatedRecord, before: number) => void;

/**
 * Counts the records of each day. Reads no records: the blocks of the feed have the dates.
 * @returns the newest day first
 * @throws Failure bad-store
 */
export function feedDays(database: Connection, visit: FeedVisitor): FeedDay[] {
  const counted = new Map<string, Counted>();
  let day: Counted | undefined;
  let before = 0;
  for (const { first_id, edge, records, days, days_checksum } of feedBlocks(database)) {
    let found = 0;
    visitDays(days, (record) => {
      const { date, isFirst } = record;
      if (day?.date !== date) {
        day = counted.get(date) ?? {
          date,
          changes: 0,
          first_values: 0,
          newest: idAt(database, { edge, offset: found }),
          before: before + found,
        };
        counted.set(date, day);
      }
      day[isFirst ? 'first_values' : 'changes'] += 1;
      visit(record, before + found);
      found += 1;
    });
    if (checksumOf(days) !== days_checksum) throw damaged(database.path, 'days of the feed that do not match their checksum');
    if (found !== records) throw damaged(database.path, `records from ${first_id} on whose JSON has another form`);
    before += found;
  }
  return [...counted.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
}

/** Returns the number of blocks whose dates and fields differ from those of their records, or do not match their checksum. */
export function countWrongDays(database: Connection): number {
  let wrong = 0;
  for (const { first_id, edge, days, days_checksum } of feedBlocks(database))
    if (days !== daysIn(jsonOfBlock(database, first_id, edge)) || checksumOf(days) !== days_checksum) wrong += 1;
  return wrong;
}

interface Counted extends FeedDay {
  changes: number;
  first_values: number;
}
