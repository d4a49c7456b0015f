import { type Exclusion, handleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { UNVERIFIED_HANDLE } from '../../contract/accounts/former-handles.ts';
import { isGenerated } from '../../contract/generated-id.ts';
import { isObject } from '../../contract/json.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Profile } from '../../contract/snapshots/observation.ts';
import { HandleSpellings } from '../accounts/handle-spellings.ts';
import type { Connection } from '../database/connection.ts';

/** An exclusion in the store, with its number there. */
export interface ListedExclusion extends Exclusion {
  readonly id: number;
  /** Whether the bytes that the removal freed are erased from the file. */
  readonly isErased: boolean;
}

/** What a key of an exclusion is the hash of. */
type KeyKind = 'handle' | 'stable_id';

interface Row {
  readonly id: number;
  readonly excluded_at: string;
  readonly is_erased: 0 | 1;
}

const ROWS = 'SELECT id, excluded_at, is_erased FROM exclusion';

const WITH_RECORD = 'SELECT exclusion FROM exclusion_record WHERE record = ? OR record = ? LIMIT 1';
/** The maximum number of handles in the cache. A full cache is cleared. */
const CACHE_SIZE = 100_000;

/**
 * The accounts that were removed and must not come back. An item is excluded by its handle, its stable id, or a record
 * of the removed account. In a batch the list also learns: a new handle of an excluded account is excluded too.
 */
export class Exclusions {
  /** The handles that this batch has added to the list. */
  readonly learned: Set<string> = new Set();
  /** Increases with each addition to the list: then an item that was not excluded before can be excluded now. */
  additions = 0;
  /** Whether nothing is excluded. Then no item has to be compared with the list. */
  isEmpty = false;
  readonly #database: Connection;
  readonly #cache = new Map<string, number | undefined>();

  constructor(database: Connection) {
    this.#database = database;
    this.#refresh();
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

  /** Marks that the file still has freed bytes of removed accounts, so that they are erased after the commit. */
  markNotErased(): void {
    this.#database.exec('UPDATE exclusion SET is_erased = 0');
  }

  add(exclusion: Exclusion, isErased: boolean): void {
    const insert = 'INSERT INTO exclusion (excluded_at, is_erased) VALUES (?, CAST(? AS INTEGER))';
    const id = Number(this.#database.run(insert, exclusion.excluded_at, isErased ? 1 : 0).lastInsertRowid);
    this.extend(id, exclusion);
  }

  /** Adds the keys and records of an exclusion to a stored one. The earlier time counts. */
  extend(id: number, { excluded_at, handles, stable_ids, records }: Exclusion): void {
    this.#database.run('UPDATE exclusion SET excluded_at = min(excluded_at, ?) WHERE id = ?', excluded_at, id);
    for (const hash of handles) this.#addKey(id, 'handle', hash);
    for (const hash of stable_ids) this.#addKey(id, 'stable_id', hash);
    for (const record of records) this.#addRecord(id, record);
    this.#refresh();
  }

  #addKey(id: number, kind: KeyKind, hash: string): void {
    const insert = 'INSERT INTO exclusion_key (kind, hash, exclusion) VALUES (?, ?, CAST(? AS INTEGER)) ON CONFLICT DO NOTHING';
    this.#database.run(insert, kind, hash, id);
  }

  #addRecord(id: number, record: number): void {
    const insert =
      'INSERT INTO exclusion_record (record, exclusion) VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)) ON CONFLICT DO NOTHING';
    this.#database.run(insert, record, id);
  }

  remove(id: number): void {
    this.#database.run('DELETE FROM exclusion_key WHERE exclusion = ?', id);
    this.#database.run('DELETE FROM exclusion_record WHERE exclusion = ?', id);
    this.#database.run('DELETE FROM exclusion WHERE id = ?', id);
    this.#refresh();
  }

  #read({ id, excluded_at, is_erased }: Row): ListedExclusion {
    const keys = (kind: KeyKind) =>
      this.#database.values<string>('SELECT hash FROM exclusion_key WHERE exclusion = ? AND kind = ? ORDER BY hash', id, kind);
    const records = this.#database.values<number>('SELECT record FROM exclusion_record WHERE exclusion = ? ORDER BY record', id);
    return { id, excluded_at, handles: keys('handle'), stable_ids: keys('stable_id'), records, isErased: is_erased === 1 };
  }

  hasHandle(handle: string): boolean {
    return this.#byHandle(handle) !== undefined;
  }

  hasStableId(id: string): boolean {
    return this.#byStableId(id) !== undefined;
  }

  /** Whether an item that is not valid names an excluded account. */
  hasItem(item: unknown): boolean {
    if (this.isEmpty || !isObject(item)) return false;
    return [item['account'], item['screen_name']].some((name) => typeof name === 'string' && this.hasHandle(name));
  }

  /** Whether a record must stay out. If it continues an excluded account under another handle, the handle is learned. */
  excludesRecord(record: ChangeRecord): boolean {
    if (this.isEmpty) return false;
    const byHandle = this.#byHandle(record.account);
    const exclusion = byHandle ?? this.#database.value<number>(WITH_RECORD, record.id, record.previous ?? record.id);
    if (exclusion === undefined) return false;
    if (byHandle === undefined) this.#learn(exclusion, record.account);
    // the next record of the account may have another handle, and refers to this one
    if (!isGenerated(record)) this.#addRecord(exclusion, record.id);
    return true;
  }

  /** Adds records of an excluded account that a service gave. */
  addRecords(handle: string, ids: readonly number[]): void {
    const exclusion = this.#byHandle(handle);
    if (exclusion !== undefined) for (const id of ids) this.#addRecord(exclusion, id);
  }

  /**
   * Whether a profile must stay out. Its handle and stable id are learned, unless an account in the store has the handle.
   * @param formerNames handles that the account had before
   */
  excludesProfile({ id, screen_name }: Pick<Profile, 'id' | 'screen_name'>, formerNames: readonly string[]): boolean {
    if (this.isEmpty) return false;
    const byHandle = () => (screen_name === undefined ? undefined : this.#byHandle(screen_name));
    const exclusion = (id === undefined ? undefined : this.#byStableId(id)) ?? byHandle() ?? this.#byFormerNames(id, formerNames);
    if (exclusion === undefined) return false;
    for (const name of screen_name === undefined ? formerNames : [screen_name, ...formerNames]) {
      if (!this.hasHandle(name) && new HandleSpellings(this.#database).holders(name).length === 0) this.#learn(exclusion, name);
    }
    if (id !== undefined && !this.#knowsStableId(exclusion)) {
      this.#addKey(exclusion, 'stable_id', stableIdHash(id));
      this.additions += 1;
    }
    return true;
  }

  /** Two accounts can have had the same handle. If the stable ids of both are known, they differ, so this is another account. */
  #byFormerNames(id: string | undefined, names: readonly string[]): number | undefined {
    for (const name of names) {
      const exclusion = this.#byHandle(name);
      if (exclusion !== undefined && (id === undefined || !this.#knowsStableId(exclusion))) return exclusion;
    }
    return undefined;
  }

  #byHandle(handle: string): number | undefined {
    if (this.isEmpty || handle === UNVERIFIED_HANDLE) return undefined;
    if (this.#cache.has(handle)) return this.#cache.get(handle);
    if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
    const exclusion = this.#byKey('handle', handleHash(handle));
    this.#cache.set(handle, exclusion);
    return exclusion;
  }

  #byStableId(id: string): number | undefined {
    return this.isEmpty ? undefined : this.#byKey('stable_id', stableIdHash(id));
  }

  #byKey(kind: KeyKind, hash: string): number | undefined {
    return this.#database.value('SELECT min(exclusion) FROM exclusion_key WHERE kind = ? AND hash = ? GROUP BY hash', kind, hash);
  }

  #refresh(): void {
    this.#cache.clear();
    this.isEmpty = this.#database.value('SELECT EXISTS (SELECT 1 FROM exclusion)') !== 1;
  }

  #knowsStableId(exclusion: number): boolean {
    return this.#database.value("SELECT 1 FROM exclusion_key WHERE kind = 'stable_id' AND exclusion = ? LIMIT 1", exclusion) === 1;
  }

  #learn(exclusion: number, handle: string): void {
    if (handle === UNVERIFIED_HANDLE) return;
    this.#addKey(exclusion, 'handle', handleHash(handle));
    // the cache can have the handle in other spellings
    this.#cache.clear();
    this.learned.add(handle);
    this.additions += 1;
  }
}

export function isIdentifying(handle: string): boolean {
  return handle !== UNVERIFIED_HANDLE;
}

function orderOf({ handles, stable_ids, excluded_at }: Exclusion): string {
  return `${handles[0] ?? ''} ${stable_ids[0] ?? ''} ${excluded_at}`;
}
