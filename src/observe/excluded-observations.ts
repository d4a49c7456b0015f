import type { Pauses } from '../contract/pauses.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import type { Row } from './spool/sorted-run.ts';
import type { Spool } from './spool/spool.ts';

/** How many profiles are cached. A full cache is cleared. */
const CACHE_SIZE = 1 << 20;

/** Decides which observations belong to removed accounts. */
export class ExcludedObservations {
  readonly #exclusions: Exclusions;
  readonly #spool: Spool;
  /** Whether each profile is excluded, by its number. It is valid until the exclusions learn more. */
  readonly #known = new Map<number, boolean>();
  #additions = 0;

  constructor(exclusions: Exclusions, spool: Spool) {
    this.#exclusions = exclusions;
    this.#spool = spool;
  }

  /**
   * Learns all names of removed accounts that the observations contain, because a name in the last one also excludes the first one.
   * @param rows in order of time, so that the order of the inputs makes no difference
   */
  async learn(rows: Iterable<Row>, pauses: Pauses): Promise<void> {
    if (this.#exclusions.isEmpty) return;
    for (const row of rows) {
      this.has(row);
      if (pauses.areDue) await pauses.take();
    }
  }

  has(row: Row): boolean {
    if (this.#exclusions.isEmpty) return false;
    if (this.#additions !== this.#exclusions.additions || this.#known.size >= CACHE_SIZE) this.#known.clear();
    this.#additions = this.#exclusions.additions;
    const known = this.#known.get(row.profile);
    if (known !== undefined) return known;
    const { profile, former_names } = this.#spool.observation(row);
    const isExcluded = this.#exclusions.excludesProfile(profile, former_names);
    this.#known.set(row.profile, isExcluded);
    return isExcluded;
  }
}
