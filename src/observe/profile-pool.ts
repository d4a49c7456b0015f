import type { Observation, Profile } from '../contract/observation.ts';
import { accountKey } from './partition.ts';
import type { Row } from './sorted-run.ts';
import type { StringPool } from './string-pool.ts';

/** The content of one stored text. */
export interface StoredProfile {
  readonly profile: Profile;
  readonly former_names: readonly string[];
}

/** A row without the number of its input. */
export type RowOfInput = Omit<Row, 'input'>;

/** Stores the profiles of observations in a string pool. */
export class ProfilePool {
  readonly #texts: StringPool;
  /** The places of the profile objects that were added before. */
  readonly #known = new WeakMap<Profile, { readonly profile: number; readonly account: number }>();

  constructor(texts: StringPool) {
    this.#texts = texts;
  }

  /** Stores an observation, and returns its row. */
  put({ observed_at, profile, former_names, web_archive_url }: Observation, line: number): RowOfInput {
    let known = this.#known.get(profile);
    if (known === undefined) {
      const stored: StoredProfile = { profile, former_names };
      known = { profile: this.#texts.put(JSON.stringify(stored)), account: accountKey(profile) };
      this.#known.set(profile, known);
    }
    const archive = web_archive_url === null ? 0 : this.#texts.append(web_archive_url);
    return { moment: observed_at, profile: known.profile, archive, account: known.account, line };
  }
}

/** Returns the profile in a stored text. */
export function storedProfile(text: string): StoredProfile {
  return JSON.parse(text);
}
