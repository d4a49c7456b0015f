import Database from 'better-sqlite3';
import { checksumOf } from './checksum.ts';

/** A prepared statement with the types of its parameters and rows. */
export type Statement<Parameters extends unknown[], Row = unknown> = Database.Statement<Parameters, Row>;

/**
 * Objects that must not be collected as garbage. On Node 24.19 and later, better-sqlite3 12 aborts the process when a
 * statement or a database is collected. It is the newest version for Node 20. Each store that a process opens adds a few
 * objects.
 */
const UNCOLLECTABLE: object[] = [];

/**
 * A connection to an SQLite file. It has no `pragma` and no `iterate`, because those of better-sqlite3 create
 * objects that cannot be kept from garbage collection. Its SQL has a function `crc32(text)`.
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
   * Prepares a statement that runs often. Write `LIMIT +?`, not `LIMIT ?`: SQLite plans a statement with `LIMIT ?`
   * again at every binding, because the number can change the plan.
   */
  prepare<Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    const statement: Statement<Parameters, Row> = this.#database.prepare<Parameters, Row>(sql);
    UNCOLLECTABLE.push(statement);
    return statement;
  }

  /** Runs statements without parameters and without result rows. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Returns the first column of the first row of a query. */
  value(sql: string): unknown {
    return this.prepare(sql).pluck().get();
  }

  /** Closes the connection and rolls back an open transaction. */
  close(): void {
    this.#database.close();
  }
}
