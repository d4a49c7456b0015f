import { Connection, type Statement } from './connection.ts';
import { wrapErrors } from './store-error.ts';

/** A key and the value that belongs to it. */
export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** The number of pairs that one statement writes. */
const AT_ONCE = 50;
/** The number of pairs that one query reads. */
const BATCH_SIZE = 1000;

/**
 * Yields pairs sorted by the UTF-8 of the key, then of the value. SQLite sorts them in a temporary file that it deletes
 * at the end, so memory stays flat.
 * @throws Failure file-system if the temporary folder is full
 */
export function* sortedPairs(pairs: Iterable<Pair>): Generator<Pair> {
  const database = wrapErrors('', () => new Connection(''));
  try {
    wrapErrors('the temporary folder', () => sort(database, pairs));
    const next = database.prepare<[number, number], Pair>('SELECT key, value FROM sorted WHERE rowid > ? ORDER BY rowid LIMIT +?');
    for (let last = 0; ; last += BATCH_SIZE) {
      const rows = next.all(last, BATCH_SIZE);
      yield* rows;
      if (rows.length < BATCH_SIZE) return;
    }
  } finally {
    database.close();
  }
}

function sort(database: Connection, pairs: Iterable<Pair>): void {
  database.exec(`
    PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
    CREATE TABLE pair (key TEXT, value TEXT); BEGIN;`);
  const writeMany = insert(database, AT_ONCE);
  const writeOne = insert(database, 1);
  let waiting: string[] = [];
  for (const { key, value } of pairs) {
    waiting.push(key, value);
    if (waiting.length < 2 * AT_ONCE) continue;
    writeMany.run(...waiting);
    waiting = [];
  }
  for (let at = 0; at < waiting.length; at += 2) writeOne.run(...waiting.slice(at, at + 2));
  database.exec('COMMIT; CREATE TABLE sorted AS SELECT key, value FROM pair ORDER BY key, value; DROP TABLE pair;');
}

function insert(database: Connection, pairs: number): Statement<string[]> {
  return database.prepare(`INSERT INTO pair VALUES ${Array(pairs).fill('(?, ?)').join(', ')}`);
}
