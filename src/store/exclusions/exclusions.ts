import { handleHash, stableIdHash } from '../../contract/accounts/exclusion.ts';
import { UNVERIFIED_HANDLE } from '../../contract/accounts/former-handles.ts';
import { isGenerated } from '../../contract/generated-id.ts';
import { isObject } from '../../contract/json.ts';
import type { Profile } from '../../contract/observation.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import { HandleSpellings } from '../accounts/handle-spellings.ts';
import type { Connection } from '../database/connection.ts';
import { ExclusionList, type KeyKind } from './exclusion-list.ts';

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
  readonly #list: ExclusionList;
  readonly #cache = new Map<string, number | undefined>();

  constructor(database: Connection) {
    this.#database = database;
    this.#list = new ExclusionList(database);
    this.refresh();
  }

  /** Must be called after other code has changed the list. */
  refresh(): void {
    this.#cache.clear();
    this.isEmpty = this.#database.value('SELECT EXISTS (SELECT 1 FROM exclusion)') !== 1;
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
    if (!isGenerated(record)) this.#list.addRecord(exclusion, record.id);
    return true;
  }

  /** Adds records of an excluded account that a service gave. */
  addRecords(handle: string, ids: readonly number[]): void {
    const exclusion = this.#byHandle(handle);
    if (exclusion !== undefined) for (const id of ids) this.#list.addRecord(exclusion, id);
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
      this.#list.addKey(exclusion, 'stable_id', stableIdHash(id));
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

  #knowsStableId(exclusion: number): boolean {
    return this.#database.value("SELECT 1 FROM exclusion_key WHERE kind = 'stable_id' AND exclusion = ? LIMIT 1", exclusion) === 1;
  }

  #learn(exclusion: number, handle: string): void {
    if (handle === UNVERIFIED_HANDLE) return;
    this.#list.addKey(exclusion, 'handle', handleHash(handle));
    // the cache can have the handle in other spellings
    this.#cache.clear();
    this.learned.add(handle);
    this.additions += 1;
  }
}

/** Whether a handle can identify an account. */
export function isIdentifying(handle: string): boolean {
  return handle !== UNVERIFIED_HANDLE;
}
