import type { Connection } from './connection.ts';

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
 * a record.
 * @returns the newest day first
 */
export function feedDays(database: Connection): FeedDay[] {
  const next = database.prepare<[number, number], { readonly last: number | null; readonly ids: string; readonly json: Buffer }>(`
    SELECT min(id) AS last, group_concat(id) AS ids, CAST(group_concat(json, ',') AS BLOB) AS json
    FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`);
  const days = new Map<string, { records: number; readonly newest: number; readonly before: number }>();
  let [edge, before] = [Number.MAX_SAFE_INTEGER + 1, 0];
  for (let row = next.get(edge, BATCH_SIZE); row !== undefined && row.last !== null; row = next.get(edge, BATCH_SIZE)) {
    const [json, ids] = [row.json.toString('latin1'), row.ids.split(',')];
    let at = 0;
    for (const id of ids) {
      // a text cannot contain this: its quotes are escaped
      at = json.indexOf(DATE, at) + DATE.length;
      const date = json.slice(at, at + 10);
      const day = days.get(date);
      if (day === undefined) days.set(date, { records: 1, newest: Number(id), before });
      else day.records += 1;
      before += 1;
    }
    edge = row.last;
  }
  return [...days].map(([date, day]) => ({ date, ...day })).sort((a, b) => (a.date < b.date ? 1 : -1));
}
