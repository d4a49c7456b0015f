import { encodeIdentity, encodeSummary, type Identity, NO_SUMMARY } from '../contract/account.ts';
import type { Instant } from '../contract/instant.ts';
import type { Connection, Statement } from './connection.ts';

/** An account as the table has it. */
export interface AccountRow {
  readonly id: number;
  readonly screen_name: string;
  readonly stable_id: string | null;
  readonly identity: string;
  readonly observed_to: Instant | null;
  readonly observed_fields: number;
}

const EMPTY_SUMMARY = encodeSummary(NO_SUMMARY);
const COLUMNS = 'SELECT id, screen_name, stable_id, identity, observed_to, observed_fields FROM account';
/** A row number that no row has: SQLite counts rows from 1. */
const NO_ROW = 0;

/** The SQL for accounts and their former handles. The caller must mark the changed accounts. */
export class AccountTable {
  readonly #byStableId: Statement<[string], AccountRow>;
  readonly #byName: Statement<[string, string], AccountRow>;
  readonly #byFormerName: Statement<[string, Instant], AccountRow>;
  readonly #wasSeenAfter: Statement<[string, Instant, number], number>;
  readonly #wasSeenUpTo: Statement<[string, Instant, number], number>;
  readonly #addFormerName: Statement<[string, Instant, number]>;
  readonly #add: Statement<[string, string | null, string, string]>;
  readonly #setStableId: Statement<[string, number]>;
  readonly #setIdentity: Statement<[string, string, number]>;
  readonly #setObservedTo: Statement<[Instant, number, number]>;

  constructor(database: Connection) {
    this.#byStableId = database.prepare(`${COLUMNS} WHERE stable_id = ?`);
    // services treat handles that differ only in case as equal; the exact match comes first
    this.#byName = database.prepare(`${COLUMNS} WHERE screen_name = ? COLLATE NOCASE ORDER BY screen_name <> ?, screen_name LIMIT 1`);
    this.#byFormerName = database.prepare(
      `${COLUMNS} WHERE id = (SELECT former_handle.account FROM former_handle JOIN account ON account.id = former_handle.account
        WHERE handle = ? AND seen_to >= ? ORDER BY seen_to, screen_name LIMIT 1)`,
    );
    this.#wasSeenAfter = database.prepareValue('SELECT 1 FROM former_handle WHERE handle = ? AND seen_to > ? AND account <> ? LIMIT 1');
    this.#wasSeenUpTo = database.prepareValue('SELECT 1 FROM former_handle WHERE handle = ? AND seen_to = ? AND account = ?');
    this.#addFormerName = database.prepare(
      'INSERT INTO former_handle (handle, seen_to, account) VALUES (?, CAST(? AS INTEGER), ?) ON CONFLICT DO NOTHING',
    );
    this.#add = database.prepare('INSERT INTO account (screen_name, stable_id, identity, summary) VALUES (?, ?, ?, ?)');
    this.#setStableId = database.prepare('UPDATE account SET stable_id = ? WHERE id = ?');
    this.#setIdentity = database.prepare('UPDATE account SET screen_name = ?, identity = ? WHERE id = ?');
    this.#setObservedTo = database.prepare(
      'UPDATE account SET observed_to = CAST(? AS INTEGER), observed_fields = CAST(? AS INTEGER) WHERE id = ?',
    );
  }

  byStableId(id: string): AccountRow | undefined {
    return this.#byStableId.get(id);
  }

  /** Returns the account that has a handle now, in upper or lower case. */
  byName(name: string): AccountRow | undefined {
    return this.#byName.get(name, name);
  }

  /** Returns the account that had a handle at an instant and lost it later. */
  byFormerName(handle: string, instant: Instant): AccountRow | undefined {
    return this.#byFormerName.get(handle, instant);
  }

  /**
   * Whether an account had a handle after an instant and lost it later.
   * @param except the row of an account that does not count
   */
  hadHandleAfter(handle: string, instant: Instant, except: number = NO_ROW): boolean {
    return this.#wasSeenAfter.get(handle, instant, except) === 1;
  }

  /** Whether an account had a handle up to exactly this instant. */
  hadHandleUpTo(handle: string, instant: Instant, row: number): boolean {
    return this.#wasSeenUpTo.get(handle, instant, row) === 1;
  }

  addFormerHandle(handle: string, seenTo: Instant, row: number): void {
    this.#addFormerName.run(handle, seenTo, row);
  }

  /** Adds an account without records. Returns its row number. */
  add(identity: Identity, stableId: string | undefined): number {
    const { lastInsertRowid } = this.#add.run(identity.screen_name, stableId ?? null, encodeIdentity(identity), EMPTY_SUMMARY);
    return Number(lastInsertRowid);
  }

  setStableId(row: number, id: string): void {
    this.#setStableId.run(id, row);
  }

  setIdentity(row: number, screenName: string, identity: string): void {
    this.#setIdentity.run(screenName, identity, row);
  }

  setObserved(row: number, observedTo: Instant, fields: number): void {
    this.#setObservedTo.run(observedTo, fields, row);
  }
}
