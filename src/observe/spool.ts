import type { Place } from '../contract/failure.ts';
import { timestampOf } from '../contract/instant.ts';
import type { Observation, Profile } from '../contract/observation.ts';
import { ExternalSorter } from './external-sorter.ts';
import type { Row } from './sorted-run.ts';
import { openSpool, removeSpools } from './spool-file.ts';
import { StringPool } from './string-pool.ts';

/** What a text of the file holds. */
interface StoredProfile {
  readonly profile: Profile;
  readonly former_names: readonly string[];
}

/** All observations of a run, however many: on disk, beside the store, until they are compared in the order of their time. */
export class Spool {
  readonly #timeline: ExternalSorter;
  readonly #texts: StringPool;
  readonly #inputs: string[] = [];
  /** Where profiles lie that came before as the same object. */
  readonly #places = new WeakMap<Profile, number>();

  /** @param store the path beside which the files lie; the store is locked, so that what lies there is no other run's */
  constructor(store: string) {
    removeSpools(store);
    const spool = openSpool(store);
    this.#texts = new StringPool(spool);
    try {
      this.#timeline = new ExternalSorter(openSpool(store));
    } catch (error) {
      spool.close();
      throw error;
    }
  }

  get length(): number {
    return this.#timeline.length;
  }

  add({ observed_at, web_archive_url, profile, former_names }: Observation, { file = '', line = 0 }: Place): void {
    if (this.#inputs.at(-1) !== file) this.#inputs.push(file);
    this.#timeline.add({
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
    return this.#timeline.inOrder();
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
    this.#timeline.close();
  }
}

/** An observation as the neutral snapshot that says the same. */
export function snapshotOf({ observed_at, web_archive_url, profile }: Observation): object {
  return { observed_at: timestampOf(observed_at), ...profile, ...(web_archive_url === null ? {} : { web_archive_url }) };
}
