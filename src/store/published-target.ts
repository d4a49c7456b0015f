import { hash } from 'node:crypto';
import { type Exclusion, encodeExclusion } from '../contract/accounts/exclusion.ts';
import { Failure } from '../contract/failure.ts';
import type { Connection } from './database/connection.ts';
import { withConnection } from './database/open-store.ts';
import { Exclusions } from './exclusions/exclusions.ts';
import { revisionOf } from './revision.ts';

interface Row {
  readonly newest: Buffer | null;
  readonly removals: string;
}

/** The exclusions of a store: all, and those that are not done at a target. */
export interface Removals {
  readonly all: readonly Exclusion[];
  readonly pending: readonly Exclusion[];
}

/**
 * What a store remembers of a target with versions: the newest commit, which tells the highest number, and the removals that are
 * done there. A store that other processes write, or that cannot be written, remembers nothing new: that is no reason to fail
 * after a publish.
 */
export class PublishedTarget {
  /** Whether something could not be stored. */
  isForgetful = false;
  readonly #path: string;
  readonly #target: string;

  /**
   * @param path of the store
   * @param target identifies the target: its endpoint and address
   */
  constructor(path: string, target: string) {
    this.#path = path;
    this.#target = target;
  }

  /** The newest commit. Undefined if this store never published there. */
  read(): Buffer | undefined {
    return this.#open((database) => this.#rowIn(database))?.newest ?? undefined;
  }

  /** Returns the other targets to which this store was published. */
  others(): readonly string[] {
    const query = 'SELECT target FROM published_target WHERE target <> ? ORDER BY target';
    return this.#open((database) => database.values<string>(query, this.#target));
  }

  write(commit: Buffer): void {
    this.#store('newest', commit);
  }

  /** Whether the store is in the state with this fingerprint, or was earlier. */
  hadState(fingerprint: string): boolean {
    return this.#open((database) => revisionOf(database, fingerprint) !== undefined);
  }

  /** Whether the store has all these records, with the same fields but the handle: an account can have been renamed. */
  hasRecords(records: readonly { readonly [field: string]: unknown }[]): boolean {
    const fieldsOf = (record: unknown) => JSON.stringify(record, (field, value) => (field === 'account' ? undefined : value));
    return this.#open((database) => {
      const json = database.prepareValue<[unknown], string>('SELECT json FROM record WHERE id = ?');
      return records.every((record) => fieldsOf(JSON.parse(json.get(record['id']) ?? 'null')) === fieldsOf(record));
    });
  }

  removals(): Removals {
    return this.#open((database) => {
      const done = this.#removalsIn(database);
      const all = new Exclusions(database).all();
      return { all, pending: all.filter((one) => !done.has(idOf(one))) };
    });
  }

  /** Remembers that no version at the target has an account of these exclusions. */
  setRemoved(exclusions: readonly Exclusion[]): void {
    const ids = this.#open((database) => {
      // an exclusion that ended, or that was extended, need not be remembered
      const present = new Set(new Exclusions(database).all().map(idOf));
      return [...this.#removalsIn(database), ...exclusions.map(idOf)].filter((id) => present.has(id));
    });
    this.#store('removals', JSON.stringify([...new Set(ids)].toSorted()));
  }

  #removalsIn(database: Connection): ReadonlySet<string> {
    const ids: unknown = JSON.parse(this.#rowIn(database)?.removals ?? '[]');
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
  }

  #store(column: 'newest' | 'removals', value: Buffer | string): void {
    const set = `INSERT INTO published_target (target, ${column}) VALUES (?, ?) ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`;
    try {
      withConnection(this.#path, 'write', (database) => database.run(set, this.#target, value));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.isForgetful = true;
    }
  }

  #rowIn(database: Connection): Row | undefined {
    return database.get('SELECT newest, removals FROM published_target WHERE target = ?', this.#target);
  }

  #open<T>(read: (database: Connection) => T): T {
    return withConnection(this.#path, 'read', read);
  }
}

/** Identifies an exclusion with its keys. It changes if the account gets another key, or is removed again. */
function idOf(exclusion: Exclusion): string {
  return hash('sha256', encodeExclusion(exclusion));
}
