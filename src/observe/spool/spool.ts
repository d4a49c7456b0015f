import { handleKey } from '../../contract/accounts/handle.ts';
import type { Place } from '../../contract/failure.ts';
import { openTemporaryFile } from '../../contract/files/temporary-file.ts';
import { timestampOf } from '../../contract/instant.ts';
import { type Observation, PROFILE_KEYS, type Profile } from '../../contract/snapshots/observation.ts';
import { BoundedMap } from '../../sources/bounded-map.ts';
import type { PartHeader } from '../../sources/snapshots/part-header.ts';
import { ExternalSorter } from './external-sorter.ts';
import { BY_TIME, type Row, type SortColumns } from './sorted-run.ts';
import { StringPool } from './string-pool.ts';

/** The content of one stored text. */
type StoredProfile = Pick<Observation, 'profile' | 'former_names'>;

/** How much is cached to detect repeated profiles, in UTF-16 units. */
const CACHE_UNITS = 1 << 24;
/** The estimated size of a cached profile in memory beside its text, in UTF-16 units. */
const OVERHEAD_UNITS = 300;

/** Stores all observations of a run on disk, and returns them in order. A profile that equals the last one of its account is usually stored once. */
export class Spool {
  /** How many profiles are stored. Consecutive equal profiles of an account usually count once. */
  profiles = 0;
  readonly #sorter: ExternalSorter;
  readonly #texts: StringPool;
  /** The last profile of each account, with its place in the string pool. */
  readonly #last = new BoundedMap<number, StoredProfile & { readonly place: number }>(CACHE_UNITS);
  /** The names of the inputs, by their numbers. */
  readonly #inputs: string[] = [];
  /** The number of the present input. */
  #input = -1;
  /** The number of the first part of each set of parts. */
  readonly #sets = new Map<string, number>();

  /** @param beside the path beside which the files are created */
  constructor(beside: string, columns: SortColumns = BY_TIME) {
    this.#texts = new StringPool(openTemporaryFile(beside));
    try {
      this.#sorter = new ExternalSorter(openTemporaryFile(beside), columns);
    } catch (error) {
      this.#texts.close();
      throw error;
    }
  }

  get length(): number {
    return this.#sorter.length;
  }

  add(observation: Observation, { file = '', line = 0 }: Place): void {
    if (this.#inputs[this.#input] !== file) this.#input = this.#inputs.push(file) - 1;
    const { observed_at, profile, web_archive_url } = observation;
    const account = accountKey(profile);
    const last = this.#last.get(account);
    const place = last !== undefined && isSameProfile(last, observation) ? last.place : this.#store(account, observation);
    const archive = web_archive_url === null ? 0 : this.#texts.append(web_archive_url);
    this.#sorter.add({ instant: observed_at, profile: place, archive, account, input: this.#input, line });
  }

  /** Stores a profile in the string pool, and returns its place. */
  #store(account: number, { profile, former_names }: StoredProfile): number {
    const text = JSON.stringify({ profile, former_names } satisfies StoredProfile);
    const place = this.#texts.append(text);
    this.profiles += 1;
    this.#last.set(account, { profile, former_names, place }, text.length + OVERHEAD_UNITS);
    return place;
  }

  /** Begins a part. The parts of a set have consecutive numbers as inputs, whatever the order in which they are read. */
  beginPart({ sources, part, parts }: PartHeader, file: string): void {
    const first = this.#sets.get(sources) ?? this.#inputs.length;
    if (!this.#sets.has(sources)) this.#inputs.length += parts;
    this.#sets.set(sources, first);
    this.#input = first + part;
    this.#inputs[this.#input] = file;
  }

  /** Returns all rows in order. Nothing can be added afterwards. */
  inOrder(): Generator<Row> {
    return this.#sorter.inOrder();
  }

  /** Returns the observation of a row that {@link inOrder} returned. */
  observation({ instant, profile, archive }: Row): Observation {
    return {
      observed_at: instant,
      web_archive_url: archive === 0 ? null : this.text(archive),
      ...storedProfile(this.text(profile)),
    };
  }

  /** Returns a text of a row that {@link inOrder} returned. */
  text(place: number): string {
    return this.#texts.get(place);
  }

  place({ input, line }: Row): Place {
    return { file: this.#inputs[input] ?? '', line };
  }

  close(): void {
    this.#texts.close();
    this.#sorter.close();
  }
}

export function snapshotOf({ observed_at, web_archive_url, profile, former_names }: Observation): { readonly observed_at: string } {
  return {
    observed_at: timestampOf(observed_at),
    ...profile,
    ...(former_names.length === 0 ? {} : { former_names }),
    ...(web_archive_url === null ? {} : { web_archive_url }),
  };
}

function isSameProfile(one: StoredProfile, other: StoredProfile): boolean {
  if (one.former_names.length !== other.former_names.length) return false;
  if (!one.former_names.every((name, index) => name === other.former_names[index])) return false;
  return one.profile === other.profile || PROFILE_KEYS.every((field) => one.profile[field] === other.profile[field]);
}

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
