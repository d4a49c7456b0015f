import Database from 'better-sqlite3';
import { checksumOf } from './checksum.ts';

/** A prepared statement: what its parameters and its rows are. */
export type Statement<Parameters extends unknown[], Row = unknown> = Database.Statement<Parameters, Row>;

/**
 * Objects that must not be collected as garbage: better-sqlite3 12, the newest for Node 20, aborts the
 * process when a statement or a database is, on Node 24.19 and later. There are a few for each store
 * that a process opens.
 */
const UNCOLLECTABLE: object[] = [];

/**
 * A connection to an SQLite file. It has no `pragma` and no `iterate`, because better-sqlite3's make
 * objects that cannot be kept. Its SQL has a function `crc32(text)`.
 */
export class Connection {
  readonly #database: Database.Database;

  readonly path: string;

  /** @throws SqliteError */
  constructor(path: string, options: Database.Options = {}) {
    this.path = path;
    this.#database = new Database(path, options);
    UNCOLLECTABLE.push(this.#database);
    this.#database.function('crc32', { deterministic: true }, (text) => (typeof text === 'string' ? checksumOf(text) : null));
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /**
   * A statement to be run often. A bare `LIMIT ?` has SQLite plan it anew whenever something is bound to it, because
   * the number may change the plan: `LIMIT +?` does not.
   */
  prepare<Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    const statement: Statement<Parameters, Row> = this.#database.prepare<Parameters, Row>(sql);
    UNCOLLECTABLE.push(statement);
    return statement;
  }

  /** Runs statements that have no rows to give and no parameters. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first column of a query's first row. */
  value(sql: string): unknown {
    return this.prepare(sql).pluck().get();
  }

  /** Closes it; a transaction that is open is rolled back. */
  close(): void {
    this.#database.close();
  }
}
