import type { RawValue } from '../sources/raw-value.ts';
import { type Observed, type SnapshotItem, SnapshotReader } from '../sources/snapshot-reader.ts';
import type { ProfilePool } from './profile-pool.ts';
import { READ_COLUMNS, type ReadAnswer, type ReadRequest, type ThreadJob, writeRow } from './thread-messages.ts';

/** Reads values that may come in any order, and stores their observations in a pool. It does not read values with errors. */
export class ValueReader {
  readonly #reader: SnapshotReader;
  readonly #profiles: ProfilePool;

  constructor(context: ThreadJob['context'], profiles: ProfilePool) {
    this.#reader = new SnapshotReader(context);
    this.#profiles = profiles;
  }

  async read({ texts, lines, paths }: Omit<ReadRequest, 'kind'>): Promise<ReadAnswer> {
    const values = texts.map((text, index) => ({ text, line: lines[index] ?? 0, path: paths[index] ?? '' }));
    const all = await this.#reader.read(values, '');
    const isClean = all.every(isObserved);
    const found = isClean ? all.filter(isObserved) : [];
    const counts = isClean ? undefined : await this.#countsOf(values, found);
    const rows = new Float64Array(found.length * READ_COLUMNS);
    for (const [index, { observation, place }] of found.entries()) {
      writeRow(this.#profiles.put(observation, place.line ?? 0), rows, index);
    }
    return { counts, rows };
  }

  /** Reads values one by one, to find those with errors. Adds the observations of the others to a list. */
  async #countsOf(values: readonly RawValue[], found: Observed[]): Promise<number[]> {
    const counts: number[] = [];
    for (const value of values) {
      const items = await this.#reader.read([value], '');
      const observed = items.filter(isObserved);
      const isClean = observed.length === items.length;
      counts.push(isClean ? observed.length : -1);
      if (isClean) found.push(...observed);
    }
    return counts;
  }
}

function isObserved(item: SnapshotItem): item is Observed {
  return item.kind === 'observation';
}
