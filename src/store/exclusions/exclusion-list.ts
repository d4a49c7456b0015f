import type { Exclusion } from '../../contract/accounts/exclusion.ts';
import type { Connection, Statement } from '../database/connection.ts';

/** An exclusion in the store, with its number there. */
export interface ListedExclusion extends Exclusion {
  readonly id: number;
  /** Whether the bytes that the removal freed are erased from the file. */
  readonly isErased: boolean;
}

interface Row {
  readonly id: number;
  readonly excluded_at: string;
  readonly is_erased: 0 | 1;
}

/** The SQL for the exclusions of a store. */
export class ExclusionList {
  readonly #database: Connection;
  readonly #row: Statement<[number], Row>;
  readonly #withKey: Statement<[string, string], number>;
  readonly #keys: Statement<[number, 'handle' | 'stable_id'], string>;
  readonly #records: Statement<[number], number>;

  constructor(database: Connection) {
    this.#database = database;
    this.#row = database.prepare('SELECT id, excluded_at, is_erased FROM exclusion WHERE id = ?');
    this.#withKey = database.prepareValue('SELECT exclusion FROM exclusion_key WHERE kind = ? AND hash = ? ORDER BY exclusion');
    this.#keys = database.prepareValue('SELECT hash FROM exclusion_key WHERE exclusion = ? AND kind = ? ORDER BY hash');
    this.#records = database.prepareValue('SELECT record FROM exclusion_record WHERE exclusion = ? ORDER BY record');
  }

  /** Returns all exclusions, in an order that depends only on their contents. */
  all(): ListedExclusion[] {
    const rows = this.#database.prepare<[], Row>('SELECT id, excluded_at, is_erased FROM exclusion').all();
    return rows.map((row) => this.#read(row)).toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }

  /** Returns the exclusions that have one of these hashes. */
  having(keys: Pick<Exclusion, 'handles' | 'stable_ids'>): ListedExclusion[] {
    const pairs = [
      ...keys.handles.map((hash) => ['handle', hash] as const),
      ...keys.stable_ids.map((hash) => ['stable_id', hash] as const),
    ];
    const ids = new Set(pairs.flatMap(([kind, hash]) => this.#withKey.all(kind, hash)));
    return [...ids].flatMap((id) => this.#row.all(id)).map((row) => this.#read(row));
  }

  /**
   * Returns the time for a removal: later than the times of all exclusions, even if the clock was set back or two removals happen
   * in one second. Who reads the list recognizes a new removal by the later time.
   * @param now the present time; '' if it is unknown
   */
  timeOfRemoval(now: string): string {
    const later = this.#database
      .prepare<[string], string>(
        "SELECT max(?, coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', max(excluded_at), '+1 second'), max(excluded_at), '')) FROM exclusion",
      )
      .pluck();
    return later.get(now) ?? now;
  }

  /** Sets the time at which an account of a stored exclusion was removed. Marks its bytes as not erased yet. */
  setRemoved(id: number, time: string): void {
    this.#database.prepare<[string, number]>('UPDATE exclusion SET excluded_at = ?, is_erased = 0 WHERE id = ?').run(time, id);
  }

  /** Adds an exclusion. Returns its number. */
  add(exclusion: Exclusion, isErased: boolean): number {
    const id = this.#database
      .prepareValue<[string, number], number>('INSERT INTO exclusion (excluded_at, is_erased) VALUES (?, CAST(? AS INTEGER)) RETURNING id')
      .get(exclusion.excluded_at, isErased ? 1 : 0);
    if (id === undefined) throw new Error('an exclusion was added but has no number');
    this.extend(id, exclusion);
    return id;
  }

  /** Adds the keys and records of an exclusion to a stored one. The earlier time counts. */
  extend(id: number, { excluded_at, handles, stable_ids, records }: Exclusion): void {
    const addKey = this.#database.prepare<[string, string, number]>(
      'INSERT INTO exclusion_key (kind, hash, exclusion) VALUES (?, ?, CAST(? AS INTEGER)) ON CONFLICT DO NOTHING',
    );
    const addRecord = this.#database.prepare<[number, number]>(
      'INSERT INTO exclusion_record (record, exclusion) VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)) ON CONFLICT DO NOTHING',
    );
    this.#database.prepare<[string, number]>('UPDATE exclusion SET excluded_at = min(excluded_at, ?) WHERE id = ?').run(excluded_at, id);
    for (const hash of handles) addKey.run('handle', hash, id);
    for (const hash of stable_ids) addKey.run('stable_id', hash, id);
    for (const record of records) addRecord.run(record, id);
  }

  remove(id: number): void {
    for (const table of ['exclusion_key', 'exclusion_record']) {
      this.#database.prepare<[number]>(`DELETE FROM ${table} WHERE exclusion = ?`).run(id);
    }
    this.#database.prepare<[number]>('DELETE FROM exclusion WHERE id = ?').run(id);
  }

  #read({ id, excluded_at, is_erased }: Row): ListedExclusion {
    return {
      id,
      excluded_at,
      handles: this.#keys.all(id, 'handle'),
      stable_ids: this.#keys.all(id, 'stable_id'),
      records: this.#records.all(id),
      isErased: is_erased === 1,
    };
  }
}

function orderOf({ handles, stable_ids, excluded_at }: Exclusion): string {
  return `${handles[0] ?? ''} ${stable_ids[0] ?? ''} ${excluded_at}`;
}
