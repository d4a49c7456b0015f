import type { Observation, Profile } from '../contract/observation.ts';
import { accountKey } from './partition.ts';
import type { StringPool } from './string-pool.ts';

/** The content of one stored text. */
export interface StoredProfile {
  readonly profile: Profile;
  readonly former_names: readonly string[];
}

/** Where the parts of an observation are stored. */
export interface StoredPlaces {
  /** The place of the profile in the string pool. */
  readonly profile: number;
  /** The place of the URL of its archived copy; 0 if there is none. */
  readonly archive: number;
  /** The number of its account: see {@link accountKey}. */
  readonly account: number;
}

/** Stores the profiles of observations in a string pool. */
export class ProfilePool {
  readonly #texts: StringPool;
  /** The places of the profile objects that were added before. */
  readonly #known = new WeakMap<Profile, { readonly profile: number; readonly account: number }>();

  constructor(texts: StringPool) {
    this.#texts = texts;
  }

  put({ profile, former_names, web_archive_url }: Observation): StoredPlaces {
    let known = this.#known.get(profile);
    if (known === undefined) {
      const stored: StoredProfile = { profile, former_names };
      known = { profile: this.#texts.put(JSON.stringify(stored)), account: accountKey(profile) };
      this.#known.set(profile, known);
    }
    return { ...known, archive: web_archive_url === null ? 0 : this.#texts.append(web_archive_url) };
  }
}

/** Returns the profile in a stored text. */
export function storedProfile(text: string): StoredProfile {
  return JSON.parse(text);
}
