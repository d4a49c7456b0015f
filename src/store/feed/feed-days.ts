import { DATA_TYPES, type DataType } from '../../contract/record.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';

/** The records of one day. */
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
export type FeedVisitor = (type: DataType, isFirst: boolean, before: number) => void;

/** The number of records that one query reads. */
const BATCH_SIZE = 1000;
const DATE = Buffer.from('"first_encountered_date":"');
const PREVIOUS = Buffer.from('"previous":');
/** The first letter of `null`. */
const NULL = 0x6e;
const QUOTE = 0x22;

/**
 * Counts the records of each day. This reads the whole feed, because no index has the dates: a date is part of the JSON of
 * a record. A search in its bytes takes a fraction of the time that SQLite takes to parse it.
 * @returns the newest day first
 */
export function feedDays(database: Connection, visit: FeedVisitor): FeedDay[] {
  const next = database.prepare<[number, number], { readonly last: number | null; readonly records: number; readonly json: Buffer }>(`
    SELECT min(id) AS last, count(*) AS records, CAST(group_concat(json, ',') AS BLOB) AS json
    FROM (SELECT id, json FROM record WHERE id < ? ORDER BY id DESC LIMIT +?)`);
  const idAt = database.prepareValue<[number, number], number>('SELECT id FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?');
  const days = new Map<string, Counted>();
  let day: Counted | undefined;
  let [edge, before] = [Number.MAX_SAFE_INTEGER + 1, 0];
  for (let row = next.get(edge, BATCH_SIZE); row !== undefined && row.last !== null; row = next.get(edge, BATCH_SIZE)) {
    const { json } = row;
    let [found, previous] = [0, -1];
    // a text cannot contain the name of the field: its quotes are escaped
    for (let at = json.indexOf(DATE); at !== -1; at = json.indexOf(DATE, at + DATE.length)) {
      const date = json.toString('latin1', at + DATE.length, at + DATE.length + 10);
      if (day?.date !== date) {
        day = days.get(date) ?? { date, changes: 0, first_values: 0, newest: idAt.get(edge, found) ?? 0, before: before + found };
        days.set(date, day);
      }
      previous = json.indexOf(PREVIOUS, previous + 1);
      const type = typeBefore(json, previous);
      if (type === undefined) break;
      const isFirst = json[previous + PREVIOUS.length] === NULL;
      day[isFirst ? 'first_values' : 'changes'] += 1;
      visit(type, isFirst, before + found);
      found += 1;
    }
    if (found !== row.records) throw damaged(database.path, `records from ${row.last} on whose JSON has another form`);
    before += found;
    edge = row.last;
  }
  return [...days.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
}

/** Returns the field of a record: its name is directly before the key of the record before it. */
function typeBefore(json: Buffer, end: number): DataType | undefined {
  // a quote, its name, and a quote and a comma
  return DATA_TYPES.find((type) => {
    const start = end - type.length - 2;
    return json[start] === type.charCodeAt(0) && json[start - 1] === QUOTE;
  });
}

interface Counted extends FeedDay {
  changes: number;
  first_values: number;
}
