import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';

/** The records of one day. */
export interface FeedDay {
  /** Such as `2024-03-05`. */
  readonly date: string;
  readonly records: number;
  /** The newest record in the order of the feed, and the number of records before it. */
  readonly newest: number;
  readonly before: number;
}

/** The number of records that one query reads. */
const BATCH_SIZE = 1000;
const DATE = '"first_encountered_date":"';

/**
 * Counts the records of each day. This reads the whole feed, because no index has the dates: a date is part of the JSON of
 * a record. A search in that JSON takes a fraction of the time that SQLite takes to parse it.
 * @returns the newest day first
 */
export function feedDays(database: Connection): FeedDay[] {
  const next = database.prepare<[number, number], { readonly last: number | null; readonly records: number; readonly json: Buffer }>(`
    SELECT min(id) AS last, count(*) AS records, CAST(group_concat(json, ',') AS BLOB) AS json
    FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`);
  const idAt = database.prepareValue<[number, number], number>('SELECT id FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?');
  const days = new Map<string, Counted>();
  let day: Counted | undefined;
  let [edge, before] = [Number.MAX_SAFE_INTEGER + 1, 0];
  for (let row = next.get(edge, BATCH_SIZE); row !== undefined && row.last !== null; row = next.get(edge, BATCH_SIZE)) {
    const json = row.json.toString('latin1');
    let found = 0;
    // a text cannot contain the name of the field: its quotes are escaped
    for (let at = json.indexOf(DATE); at !== -1; at = json.indexOf(DATE, at + DATE.length)) {
      const date = json.slice(at + DATE.length, at + DATE.length + 10);
      if (day?.date !== date) {
        day = days.get(date) ?? { date, records: 0, newest: idAt.get(edge, found) ?? 0, before: before + found };
        days.set(date, day);
      }
      day.records += 1;
      found += 1;
    }
    if (found !== row.records) throw damaged(database.path, `records from ${row.last} on whose JSON has another form`);
    before += found;
    edge = row.last;
  }
  return [...days.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
}

interface Counted extends FeedDay {
  records: number;
}
