import type { Network } from '../diff/diff-html.ts';
import { ClockMap } from '../sources/clock-map.ts';
import type { StoredVersions } from '../store/stored-versions.ts';
import { AccountFold, type FoldedChange } from './fold.ts';
import { isInShare } from './partition.ts';
import { storedProfile } from './profile-pool.ts';
import { textAt } from './string-pool.ts';

/** The maximum weight of the accounts in memory, in UTF-16 units. */
const CACHE_UNITS = 1 << 25;
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
  readonly profile: number;
  readonly text: string;
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
  readonly #accounts: ClockMap<number, CachedFold>;

  /**
   * @param descriptors the files of the string pools
   * @param stored the accounts in the store; undefined if there are none
   * @param units the maximum weight of the accounts in memory, in UTF-16 units
   */
  constructor(descriptors: readonly number[], network: Network, stored: StoredVersions | undefined, units: number = CACHE_UNITS) {
    this.#descriptors = descriptors;
    this.#network = network;
    this.#stored = stored;
    this.#accounts = new ClockMap(units);
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
      const [instant, place, account] = [rows[at] ?? 0, rows[at + 1] ?? 0, rows[at + 2] ?? 0];
      const known = this.#accounts.get(account);
      if (known !== undefined && (known.profile === place || known.alias === place)) {
        known.fold.observe(instant);
        profiles[row] = known.profile;
        continue;
      }
      const text = textAt(this.#descriptors, place);
      if (known?.text === text) {
        known.fold.observe(instant);
        known.alias = place;
        profiles[row] = known.profile;
        continue;
      }
      profiles[row] = place;
      const { profile } = storedProfile(text);
      const fold = known?.fold ?? new AccountFold(this.#stored?.of(profile, instant));
      if (isInShare(account, share)) {
        const found = fold.add({ instant, profile }, this.#network);
        if (found.length > 0) {
          changed.push(row);
          changes.push(found);
        }
      } else {
        fold.addWithoutMarkup({ instant, profile });
      }
      this.#accounts.set(account, { fold, profile: place, text, alias: place }, text.length + fold.weight);
    }
    return { profiles, changed, changes };
  }
}
