import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { handleKey } from '../../contract/accounts/handle.ts';
import { codeOf, Failure } from '../../contract/failure.ts';
import { checksumOf } from '../check/checksum.ts';

export type Statement<Parameters extends unknown[], Row = unknown> = Database.Statement<Parameters, Row>;

/** A value for a `?`, or the values of named parameters. better-sqlite3 binds a number as REAL, and a bigint as INTEGER. */
type Parameter = number | bigint | string | Buffer | null | { readonly [name: string]: number | bigint | string | Buffer | null };

/** The number of rows that one query reads. */
const BATCH_ROWS = 1000;

/**
 * Objects that must not be collected as garbage. On Node 24.19 and later, better-sqlite3 12 aborts the process when a
 * statement or a database is collected. It is the newest version for Node 20. Each store that a process opens adds a few
 * objects.
 */
const UNCOLLECTABLE: object[] = [];

/**
 * A connection to an SQLite file. It has no `pragma` and no `iterate`, because those of better-sqlite3 create
 * objects that cannot be kept from garbage collection. Its SQL has the functions `crc32(text)` and
 * `handle_key(text)`.
 */
export class Connection {
  readonly path: string;
  readonly #database: Database.Database;
  /** The prepared statements by their SQL: those that return rows, and those that return the first column. */
  readonly #prepared = { rows: new Map<string, Statement<unknown[]>>(), values: new Map<string, Statement<unknown[]>>() };

  /** @throws SqliteError; Failure no-sqlite */
  constructor(path: string, options: Database.Options = {}) {
    this.path = path;
    this.#database = opened(path, options);
    UNCOLLECTABLE.push(this.#database);
    this.#database.function('crc32', { deterministic: true }, (text) => (typeof text === 'string' ? checksumOf(text) : null));
    this.#database.function('handle_key', { deterministic: true }, (text) => (typeof text === 'string' ? handleKey(text) : null));
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /**
   * Prepares a statement. The same SQL is prepared only once. Write `LIMIT +?`, not `LIMIT ?`: SQLite plans a statement with `LIMIT ?`
   * again at every binding, because the number can change the plan.
   */
  prepare<Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#prepare<Parameters, Row>(sql, 'rows');
  }

  /** Prepares a statement that returns the first column of its rows. */
  prepareValue<Parameters extends unknown[], Value>(sql: string): Statement<Parameters, Value> {
    return this.#prepare<Parameters, Value>(sql, 'values');
  }

  #prepare<Parameters extends unknown[], Row>(sql: string, returned: 'rows' | 'values'): Statement<Parameters, Row> {
    const prepared = this.#prepared[returned];
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[]>(sql);
      if (returned === 'values') statement.pluck();
      UNCOLLECTABLE.push(statement);
      prepared.set(sql, statement);
    }
    // SQLite does not know the types: the caller does
    return statement as Statement<Parameters, Row>;
  }

  /** Returns the first row of a query. */
  get<Row>(sql: string, ...parameters: readonly Parameter[]): Row | undefined {
    return this.prepare<Parameter[], Row>(sql).get(...parameters);
  }

  /** Returns the first column of the first row of a query. */
  value<Value>(sql: string, ...parameters: readonly Parameter[]): Value | undefined {
    return this.prepareValue<Parameter[], Value>(sql).get(...parameters);
  }

  /** Returns the first column of all rows of a query. */
  values<Value>(sql: string, ...parameters: readonly Parameter[]): Value[] {
    return this.prepareValue<Parameter[], Value>(sql).all(...parameters);
  }

  /** Runs a statement that changes rows. Returns how many, and the number of the last row that was added. */
  run(sql: string, ...parameters: readonly Parameter[]): Database.RunResult {
    return this.prepare<Parameter[]>(sql).run(...parameters);
  }

  /**
   * Yields the rows of a query in batches. Memory holds one batch, and other queries can run between two batches.
   * @param sql selects the rows after a key, in the order of their keys. Its parameters are the parts of the key, and the number of
   *   rows as `LIMIT +?`
   * @param first a key before the first row
   */
  *batches<Row>(
    sql: string,
    first: readonly unknown[],
    keyOf: (row: Row) => readonly unknown[],
    size: number = BATCH_ROWS,
  ): Generator<readonly Row[]> {
    const next = this.prepare<unknown[], Row>(sql);
    for (let key = first; ; ) {
      const rows = next.all(...key, size);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      key = keyOf(last);
    }
  }

  /** Yields the rows of {@link batches} one by one. */
  *rows<Row>(sql: string, first: readonly unknown[], keyOf: (row: Row) => readonly unknown[]): Generator<Row> {
    for (const rows of this.batches(sql, first, keyOf)) yield* rows;
  }

  /** Runs statements without parameters and without result rows. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Closes the connection and rolls back an open transaction. */
  close(): void {
    this.#database.close();
  }
}

/** Deletes the file of a database that no connection uses, and the files that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}

function opened(path: string, options: Database.Options): Database.Database {
  try {
    return new Database(path, options);
  } catch (error) {
    throw loadFailure(error) ?? error;
  }
}

/** Returns the failure for an error of loading the binary of better-sqlite3; undefined for any other error. */
function loadFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const isMissing = error.message.startsWith('Could not locate the bindings file');
  if (!isMissing && codeOf(error) !== 'ERR_DLOPEN_FAILED') return undefined;
  return new Failure('no-sqlite', 'SQLite cannot be loaded', {
    expected: `a binary of better-sqlite3 for Node.js ${process.version} on ${process.platform} ${process.arch}`,
    found: isMissing ? 'no binary' : error.message.replace(/\s+/g, ' '),
    hint: 'run `npm rebuild better-sqlite3` in the folder where palimpsest is installed',
    cause: error,
  });
}
