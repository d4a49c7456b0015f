import { handleKey } from '../../contract/accounts/handle.ts';
import { type Observation, PROFILE_KEYS, type Profile } from '../../contract/observation.ts';
import { BoundedMap } from '../../sources/bounded-map.ts';
import type { Row } from './sorted-run.ts';
import type { StringPool } from './string-pool.ts';

/** The content of one stored text. */
export interface StoredProfile {
  readonly profile: Profile;
  readonly former_names: readonly string[];
}

/** How much is cached to detect repeated profiles, in UTF-16 units. */
const CACHE_UNITS = 1 << 24;
/** The estimated size of a cached profile in memory beside its text, in UTF-16 units. */
const OVERHEAD_UNITS = 300;

/** A profile with its place in the string pool. */
interface PooledProfile extends StoredProfile {
  readonly place: number;
}

/** Stores the profiles of observations in a string pool. A profile that equals the last one of its account is usually not stored again. */
export class ProfilePool {
  readonly #texts: StringPool;
  /** The last profile of each account. */
  readonly #last = new BoundedMap<number, PooledProfile>(CACHE_UNITS);

  /** How many profiles are stored. */
  length = 0;

  constructor(texts: StringPool) {
    this.#texts = texts;
  }

  /** Stores an observation, and returns its row. */
  put(observation: Observation, input: number, line: number): Row {
    const { observed_at, profile, web_archive_url } = observation;
    const account = accountKey(profile);
    const last = this.#last.get(account);
    const place = last !== undefined && isSameProfile(last, observation) ? last.place : this.#add(account, observation);
    const archive = web_archive_url === null ? 0 : this.#texts.append(web_archive_url);
    return { instant: observed_at, profile: place, archive, account, input, line };
  }

  #add(account: number, { profile, former_names }: StoredProfile): number {
    const stored: StoredProfile = { profile, former_names };
    const text = JSON.stringify(stored);
    const place = this.#texts.append(text);
    this.length += 1;
    this.#last.set(account, { profile, former_names, place }, text.length + OVERHEAD_UNITS);
    return place;
  }
}

function isSameProfile(one: StoredProfile, other: StoredProfile): boolean {
  if (one.former_names.length !== other.former_names.length) return false;
  if (!one.former_names.every((name, index) => name === other.former_names[index])) return false;
  return one.profile === other.profile || PROFILE_KEYS.every((field) => one.profile[field] === other.profile[field]);
}

/** Returns the profile in a stored text. */
export function storedProfile(text: string): StoredProfile {
  return JSON.parse(text);
}

/**
 * Returns a number for the account of a profile: its stable id, or its handle if the source has no stable id. It orders snapshots of one
 * time. Two accounts may have the same number, and an account that is known by its id and by its handle has two.
 * @returns a hash of 52 bits
 */
export function accountKey({ id, screen_name = '' }: Pick<Profile, 'id' | 'screen_name'>): number {
  const text = id === undefined ? `@${handleKey(screen_name)}` : id;
  let [one, two] = [0x2f0b4c47, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul((two ^ (two >>> 15)) + unit, 0x9e3779b1);
  }
  return mixed(one) * 2 ** 20 + (mixed(two) >>> 12);
}

/** Spreads a difference in any bit over all bits: the finalizer of MurmurHash3. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
