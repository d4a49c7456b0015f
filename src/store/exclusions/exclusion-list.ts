import type { Exclusion } from '../../contract/accounts/exclusion.ts';
import type { Connection } from '../database/connection.ts';

/** An exclusion in the store, with its number there. */
export interface ListedExclusion extends Exclusion {
  readonly id: number;
  /** Whether the bytes that the removal freed are erased from the file. */
  readonly isErased: boolean;
}

/** What a key of an exclusion is the hash of. */
export type KeyKind = 'handle' | 'stable_id';

interface Row {
  readonly id: number;
  readonly excluded_at: string;
  readonly is_erased: 0 | 1;
}

const ROWS = 'SELECT id, excluded_at, is_erased FROM exclusion';

/** The SQL for the exclusions of a store. */
export class ExclusionList {
  readonly #database: Connection;

  constructor(database: Connection) {
    this.#database = database;
  }

  /** Returns all exclusions, in an order that depends only on their contents. */
  all(): ListedExclusion[] {
    const rows = this.#database.prepare<[], Row>(ROWS).all();
    return rows.map((row) => this.#read(row)).toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }

  /** Returns the exclusions that have one of these hashes. */
  having({ handles, stable_ids }: Pick<Exclusion, 'handles' | 'stable_ids'>): ListedExclusion[] {
    const withKey = 'SELECT exclusion FROM exclusion_key WHERE kind = ? AND hash = ? ORDER BY exclusion';
    const found = (kind: KeyKind, hashes: readonly string[]) =>
      hashes.flatMap((hash) => this.#database.values<number>(withKey, kind, hash));
    const ids = new Set([...found('handle', handles), ...found('stable_id', stable_ids)]);
    return [...ids].flatMap((id) => this.#database.prepare<[number], Row>(`${ROWS} WHERE id = ?`).all(id)).map((row) => this.#read(row));
  }

  /**
   * Returns the time for a removal: later than the times of all exclusions, even if the clock was set back or two removals happen
   * in one second. Who reads the list recognizes a new removal by the later time.
   * @param now the present time; '' if it is unknown
   */
  timeOfRemoval(now: string): string {
    const later =
      "SELECT max(?, coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', max(excluded_at), '+1 second'), max(excluded_at), '')) FROM exclusion";
    return this.#database.value(later, now) ?? now;
  }

  /** Sets the time at which an account of a stored exclusion was removed. Marks its bytes as not erased yet. */
  setRemoved(id: number, time: string): void {
    this.#database.run('UPDATE exclusion SET excluded_at = ?, is_erased = 0 WHERE id = ?', time, id);
  }

  /** Adds an exclusion. */
  add(exclusion: Exclusion, isErased: boolean): void {
    const insert = 'INSERT INTO exclusion (excluded_at, is_erased) VALUES (?, CAST(? AS INTEGER))';
    const id = Number(this.#database.run(insert, exclusion.excluded_at, isErased ? 1 : 0).lastInsertRowid);
    this.extend(id, exclusion);
  }

  /** Adds the keys and records of an exclusion to a stored one. The earlier time counts. */
  extend(id: number, { excluded_at, handles, stable_ids, records }: Exclusion): void {
    this.#database.run('UPDATE exclusion SET excluded_at = min(excluded_at, ?) WHERE id = ?', excluded_at, id);
    for (const hash of handles) this.addKey(id, 'handle', hash);
    for (const hash of stable_ids) this.addKey(id, 'stable_id', hash);
    for (const record of records) this.addRecord(id, record);
  }

  /** Adds the hash of a handle or of a stable id to an exclusion. */
  addKey(id: number, kind: KeyKind, hash: string): void {
    const insert = 'INSERT INTO exclusion_key (kind, hash, exclusion) VALUES (?, ?, CAST(? AS INTEGER)) ON CONFLICT DO NOTHING';
    this.#database.run(insert, kind, hash, id);
  }

  /** Adds the id of a removed record to an exclusion. */
  addRecord(id: number, record: number): void {
    const insert =
      'INSERT INTO exclusion_record (record, exclusion) VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)) ON CONFLICT DO NOTHING';
    this.#database.run(insert, record, id);
  }

  remove(id: number): void {
    this.#database.run('DELETE FROM exclusion_key WHERE exclusion = ?', id);
    this.#database.run('DELETE FROM exclusion_record WHERE exclusion = ?', id);
    this.#database.run('DELETE FROM exclusion WHERE id = ?', id);
  }

  #read({ id, excluded_at, is_erased }: Row): ListedExclusion {
    const keys = (kind: KeyKind) =>
      this.#database.values<string>('SELECT hash FROM exclusion_key WHERE exclusion = ? AND kind = ? ORDER BY hash', id, kind);
    const records = this.#database.values<number>('SELECT record FROM exclusion_record WHERE exclusion = ? ORDER BY record', id);
    return { id, excluded_at, handles: keys('handle'), stable_ids: keys('stable_id'), records, isErased: is_erased === 1 };
  }
}

function orderOf({ handles, stable_ids, excluded_at }: Exclusion): string {
  return `${handles[0] ?? ''} ${stable_ids[0] ?? ''} ${excluded_at}`;
}
