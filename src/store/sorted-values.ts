import { Connection, type Statement } from './connection.ts';
import { storedJson } from './damaged.ts';
import { wrapErrors } from './store-error.ts';

/** A value and the text by which it is sorted. */
export interface Keyed {
  readonly key: string;
  /** The value as JSON. */
  readonly json: string;
}

/** The number of values that one statement writes. */
const AT_ONCE = 50;
/** The number of values that one query reads. */
const BATCH_SIZE = 500;

/** The name of the temporary file in errors. SQLite creates it in the temporary folder of the system. */
const NAME = 'the temporary file of SQLite';

/**
 * Yields values sorted by the UTF-8 of their keys, then of their JSON. SQLite sorts them in a temporary file, which it
 * deletes at the end, so memory stays flat.
 * @throws Failure file-system
 */
export function* sortedValues<T>(values: Iterable<Keyed>): Generator<T> {
  const database = new Connection('');
  try {
    wrapErrors(NAME, () => sort(database, values));
    // one string for many values: a row for each value would take longer than the sorting
    const next = database
      .prepare<[number, number], string | null>(
        `SELECT group_concat(json, ',') FROM (SELECT json FROM sorted WHERE rowid > ? ORDER BY rowid LIMIT +?)`,
      )
      .pluck();
    for (let last = 0; ; last += BATCH_SIZE) {
      const batch = wrapErrors(NAME, () => next.get(last, BATCH_SIZE)) ?? '';
      const parsed: readonly T[] = storedJson(NAME, 'a sorted value', `[${batch}]`);
      yield* parsed;
      if (parsed.length < BATCH_SIZE) return;
    }
  } finally {
    database.close();
  }
}

function sort(database: Connection, values: Iterable<Keyed>): void {
  database.exec(`
    PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;
    CREATE TABLE value (key TEXT, json TEXT); BEGIN;`);
  const writeMany = insert(database, AT_ONCE);
  const writeOne = insert(database, 1);
  let waiting: string[] = [];
  for (const { key, json } of values) {
    waiting.push(key, json);
    if (waiting.length < 2 * AT_ONCE) continue;
    writeMany.run(...waiting);
    waiting = [];
  }
  for (let at = 0; at < waiting.length; at += 2) writeOne.run(...waiting.slice(at, at + 2));
  database.exec('COMMIT; CREATE TABLE sorted AS SELECT json FROM value ORDER BY key, json; DROP TABLE value;');
}

function insert(database: Connection, values: number): Statement<string[]> {
  return database.prepare(`INSERT INTO value VALUES ${Array(values).fill('(?, ?)').join(', ')}`);
}
