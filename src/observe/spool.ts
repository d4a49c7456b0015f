import type { Place } from '../contract/failure.ts';
import { timestampOf } from '../contract/instant.ts';
import type { Observation } from '../contract/observation.ts';
import type { PartHeader } from '../sources/part-header.ts';
import { openSpool, type SpoolFile } from '../store/spool-file.ts';
import { ExternalSorter } from './external-sorter.ts';
import { ProfilePool, type RowOfInput, storedProfile } from './profile-pool.ts';
import { BY_TIME, type Row, type RowLayout } from './sorted-run.ts';
import { StringPool, textAt } from './string-pool.ts';

/** The observations of a run, by their rows. */
export type Observations = Pick<Spool, 'length' | 'inOrder' | 'observation' | 'place'>;

/** Stores all observations of a run on disk, and returns them in order. */
export class Spool {
  readonly #beside: string;
  readonly #sorter: ExternalSorter<Row>;
  readonly #texts: StringPool;
  /** Stores profiles that this thread reads. */
  readonly profiles: ProfilePool;
  /** The names of the inputs, by their numbers. */
  readonly #inputs: string[] = [];
  /** The number of the present input. */
  #input = -1;
  /** The number of the first part of each set of parts. */
  readonly #sets = new Map<string, number>();
  /** The files of the string pools of threads. */
  readonly #pools: SpoolFile[] = [];
  /** The descriptors of all string pools, by their numbers. */
  readonly descriptors: number[];

  /** @param beside the path beside which the files are created */
  constructor(beside: string, layout: RowLayout<Row> = BY_TIME) {
    this.#beside = beside;
    const spool = openSpool(beside);
    this.#texts = new StringPool(spool);
    this.profiles = new ProfilePool(this.#texts);
    this.descriptors = [spool.descriptor];
    try {
      this.#sorter = new ExternalSorter(openSpool(beside), layout);
    } catch (error) {
      spool.close();
      throw error;
    }
  }

  get length(): number {
    return this.#sorter.length;
  }

  /** Opens a file for the string pool of a thread. The thread must flush its pool before its texts are read. */
  addPool(): { readonly number: number; readonly descriptor: number } {
    const pool = openSpool(this.#beside);
    this.#pools.push(pool);
    this.descriptors.push(pool.descriptor);
    return { number: this.#pools.length, descriptor: pool.descriptor };
  }

  add(observation: Observation, { file = '', line = 0 }: Place): void {
    this.addRow(this.profiles.put(observation, line), file);
  }

  /** Adds an observation whose parts are stored already. */
  addRow({ instant, profile, archive, account, line }: RowOfInput, file: string): void {
    if (this.#inputs[this.#input] !== file) this.#input = this.#inputs.push(file) - 1;
    this.#sorter.add({ instant, profile, archive, account, input: this.#input, line });
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
    this.#texts.flush();
    return this.#sorter.inOrder();
  }

  /** Returns the observation of a row that {@link inOrder} returned. */
  observation(row: Row): Observation {
    return observationAt(this.descriptors, row);
  }

  /** Returns a text of a row that {@link inOrder} returned. */
  text(place: number): string {
    return textAt(this.descriptors, place);
  }

  place({ input, line }: Row): Place {
    return { file: this.#inputs[input] ?? '', line };
  }

  close(): void {
    this.#texts.close();
    this.#sorter.close();
    for (const pool of this.#pools) pool.close();
  }
}

/**
 * Returns the observation of a row.
 * @param descriptors the files of the string pools, by the number of each pool
 */
export function observationAt(descriptors: readonly number[], { instant, profile, archive }: Row): Observation {
  return {
    observed_at: instant,
    web_archive_url: archive === 0 ? null : textAt(descriptors, archive),
    ...storedProfile(textAt(descriptors, profile)),
  };
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
