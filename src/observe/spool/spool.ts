import type { Place } from '../../contract/failure.ts';
import { timestampOf } from '../../contract/instant.ts';
import type { Observation } from '../../contract/observation.ts';
import type { PartHeader } from '../../sources/snapshots/part-header.ts';
import { openSpool } from '../../store/histories/spool-file.ts';
import { ExternalSorter } from './external-sorter.ts';
import { ProfilePool, storedProfile } from './profile-pool.ts';
import { BY_TIME, type Row, type SortColumns } from './sorted-run.ts';
import { StringPool } from './string-pool.ts';

/** Stores all observations of a run on disk, and returns them in order. */
export class Spool {
  readonly #sorter: ExternalSorter;
  readonly #texts: StringPool;
  readonly #profiles: ProfilePool;
  /** The names of the inputs, by their numbers. */
  readonly #inputs: string[] = [];
  /** The number of the present input. */
  #input = -1;
  /** The number of the first part of each set of parts. */
  readonly #sets = new Map<string, number>();

  /** @param beside the path beside which the files are created */
  constructor(beside: string, columns: SortColumns = BY_TIME) {
    this.#texts = new StringPool(openSpool(beside));
    this.#profiles = new ProfilePool(this.#texts);
    try {
      this.#sorter = new ExternalSorter(openSpool(beside), columns);
    } catch (error) {
      this.#texts.close();
      throw error;
    }
  }

  get length(): number {
    return this.#sorter.length;
  }

  /** How many profiles are stored. Consecutive equal profiles of an account usually count once. */
  get profiles(): number {
    return this.#profiles.length;
  }

  add(observation: Observation, { file = '', line = 0 }: Place): void {
    if (this.#inputs[this.#input] !== file) this.#input = this.#inputs.push(file) - 1;
    this.#sorter.add(this.#profiles.put(observation, this.#input, line));
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

/** Converts an observation to a neutral snapshot. */
export function snapshotOf({ observed_at, web_archive_url, profile, former_names }: Observation): { readonly observed_at: string } {
  return {
    observed_at: timestampOf(observed_at),
    ...profile,
    ...(former_names.length === 0 ? {} : { former_names }),
    ...(web_archive_url === null ? {} : { web_archive_url }),
  };
}
