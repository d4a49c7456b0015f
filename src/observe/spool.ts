import type { Place } from '../contract/failure.ts';
import { timestampOf } from '../contract/instant.ts';
import type { Observation, Profile } from '../contract/observation.ts';
import { ExternalSorter } from './external-sorter.ts';
import type { Row } from './sorted-run.ts';
import { openSpool, removeSpools } from './spool-file.ts';
import { StringPool } from './string-pool.ts';

/** The content of one stored text. */
interface StoredProfile {
  readonly profile: Profile;
  readonly former_names: readonly string[];
}

/** Stores all observations of a run on disk, beside the store, and returns them in time order. */
export class Spool {
  readonly #sorter: ExternalSorter;
  readonly #texts: StringPool;
  readonly #inputs: string[] = [];
  /** The places of profiles that were added before as the same object. */
  readonly #places = new WeakMap<Profile, number>();

  /** @param store the path beside which the files are created; the store is locked, so files there belong to no other run */
  constructor(store: string) {
    removeSpools(store);
    const spool = openSpool(store);
    this.#texts = new StringPool(spool);
    try {
      this.#sorter = new ExternalSorter(openSpool(store));
    } catch (error) {
      spool.close();
      throw error;
    }
  }

  get length(): number {
    return this.#sorter.length;
  }

  add({ observed_at, web_archive_url, profile, former_names }: Observation, { file = '', line = 0 }: Place): void {
    if (this.#inputs.at(-1) !== file) this.#inputs.push(file);
    this.#sorter.add({
      moment: observed_at,
      profile: this.#placeOf(profile, former_names),
      archive: web_archive_url === null ? 0 : this.#texts.append(web_archive_url),
      input: this.#inputs.length - 1,
      line,
    });
  }

  #placeOf(profile: Profile, former_names: readonly string[]): number {
    const known = this.#places.get(profile);
    if (known !== undefined) return known;
    const seen: StoredProfile = { profile, former_names };
    const place = this.#texts.put(JSON.stringify(seen));
    this.#places.set(profile, place);
    return place;
  }

  inOrder(): Generator<Row> {
    return this.#sorter.inOrder();
  }

  observation({ moment, profile, archive }: Row): Observation {
    const seen: StoredProfile = JSON.parse(this.#texts.get(profile));
    return { observed_at: moment, web_archive_url: archive === 0 ? null : this.#texts.get(archive), ...seen };
  }

  place({ input, line }: Row): Place {
    return { file: this.#inputs[input] ?? '', line };
  }

  close(): void {
    this.#texts.close();
    this.#sorter.close();
  }
}

/** Converts an observation to a neutral snapshot. */
export function snapshotOf({ observed_at, web_archive_url, profile }: Observation): object {
  return { observed_at: timestampOf(observed_at), ...profile, ...(web_archive_url === null ? {} : { web_archive_url }) };
}
