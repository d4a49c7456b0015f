import type { Network } from '../diff/diff-html.ts';
import type { StoredVersions } from '../store/stored-versions.ts';
import { AccountFold, type FoldedChange } from './fold.ts';
import { isInShare } from './partition.ts';
import { storedProfile } from './profile-pool.ts';
import { textAt } from './string-pool.ts';

/** The maximum weight of the accounts in memory, in UTF-16 units of their profiles. */
const CACHE_UNITS = 1 << 24;
/** The estimated weight of an account beside its profile. */
const OVERHEAD_UNITS = 400;
/** A row of a partition: its time, its profile and its account. */
export const FOLD_COLUMNS = 3;

/** What a fold found in some rows of a partition. */
export interface FoldedRows {
  /** The place of the profile of each row. Consecutive equal profiles of one account have the same place. */
  readonly profiles: Float64Array;
  /** The numbers of the rows with changes, from 0, and the changes of each of these rows. */
  readonly changed: readonly number[];
  readonly changes: readonly (readonly FoldedChange[])[];
}

interface CachedFold {
  readonly fold: AccountFold;
  /** The last profile, and its place. */
  profile: number;
  text: string;
  /** Another place with the same text: the place of the profile in the latest row. */
  alias: number;
}

/**
 * Folds the snapshots of one partition, in order of time. Memory holds the accounts that were used last. If an account is dropped, the
 * next change of each of its fields has another `before` than in the store, and the merge computes this change itself.
 */
export class PartitionFold {
  readonly #descriptors: readonly number[];
  readonly #network: Network;
  readonly #stored: StoredVersions | undefined;
  #recent = new Map<number, CachedFold>();
  #older = new Map<number, CachedFold>();
  #weight = 0;

  /**
   * @param descriptors the files of the string pools
   * @param stored the accounts in the store; undefined if there are none
   */
  constructor(descriptors: readonly number[], network: Network, stored: StoredVersions | undefined) {
    this.#descriptors = descriptors;
    this.#network = network;
    this.#stored = stored;
  }

  /**
   * @param rows {@link FOLD_COLUMNS} numbers for each row
   * @param share the share of the accounts whose changes are returned, from 0 to 1
   */
  fold(rows: Float64Array, share: number): FoldedRows {
    const length = rows.length / FOLD_COLUMNS;
    const profiles = new Float64Array(length);
    const changed: number[] = [];
    const changes: (readonly FoldedChange[])[] = [];
    for (let row = 0; row < length; row += 1) {
      const at = row * FOLD_COLUMNS;
      const [moment, place, account] = [rows[at] ?? 0, rows[at + 1] ?? 0, rows[at + 2] ?? 0];
      const known = this.#cached(account);
      if (known !== undefined && (known.profile === place || known.alias === place)) {
        known.fold.observe(moment);
        profiles[row] = known.profile;
        continue;
      }
      const text = textAt(this.#descriptors, place);
      if (known?.text === text) {
        known.fold.observe(moment);
        known.alias = place;
        profiles[row] = known.profile;
        continue;
      }
      profiles[row] = place;
      const { profile } = storedProfile(text);
      const fold = known?.fold ?? new AccountFold(this.#stored?.of(profile));
      if (isInShare(account, share)) {
        const found = fold.add({ moment, profile }, this.#network);
        if (found.length > 0) {
          changed.push(row);
          changes.push(found);
        }
      } else {
        fold.addWithoutMarkup({ moment, profile });
      }
      if (known === undefined) this.#remember(account, { fold, profile: place, text, alias: place });
      else Object.assign(known, { profile: place, text, alias: place });
    }
    return { profiles, changed, changes };
  }

  #cached(account: number): CachedFold | undefined {
    const recent = this.#recent.get(account);
    if (recent !== undefined) return recent;
    const older = this.#older.get(account);
    if (older !== undefined) this.#remember(account, older);
    return older;
  }

  #remember(account: number, known: CachedFold): void {
    this.#weight += known.text.length + OVERHEAD_UNITS;
    if (this.#weight > CACHE_UNITS / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#weight = known.text.length + OVERHEAD_UNITS;
    }
    this.#recent.set(account, known);
  }
}
