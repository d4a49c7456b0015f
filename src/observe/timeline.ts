import { writeSync } from 'node:fs';
import { BYTES, FIELDS, merged, Run, rowsInFile, type Sighting } from './sighting-run.ts';
import type { SpoolFile } from './spool-file.ts';

/** How many sightings are put in order in memory at once: 10 MB of them. */
const RUN = 1 << 18;

/**
 * Sightings, given in any order, to be had in the order of their moments; those of one moment in the order
 * in which they were given. Memory holds one run of them, however many there are: the others are on disk.
 */
export class Timeline {
  readonly #spool: SpoolFile;
  readonly #rows = new Float64Array(RUN * FIELDS);
  #held = 0;
  #runs = 0;
  #isOrdered = true;
  #latest = 0;
  #sorter: Sorter | undefined;

  /** @param spool an empty file of its own, which it closes */
  constructor(spool: SpoolFile) {
    this.#spool = spool;
  }

  get length(): number {
    return this.#runs * RUN + this.#held;
  }

  add(sighting: Sighting): void {
    if (this.#held === RUN) this.#spill();
    const { moment, profile, archive, input, line } = sighting;
    const at = this.#held * FIELDS;
    this.#rows[at] = moment;
    this.#rows[at + 1] = profile;
    this.#rows[at + 2] = archive;
    this.#rows[at + 3] = input;
    this.#rows[at + 4] = line;
    this.#held += 1;
    if (moment < this.#latest) this.#isOrdered = false;
    this.#latest = moment;
  }

  /** All of them in order. Nothing can be added any more. */
  *inOrder(): Generator<Sighting> {
    const runs: Run[] = [];
    for (let number = 0; number < this.#runs; number += 1)
      runs.push(new Run(number, rowsInFile(this.#spool.descriptor, number * RUN, RUN)));
    runs.push(new Run(this.#runs, [this.#ordered()].values()));
    yield* merged(runs);
  }

  close(): void {
    this.#spool.close();
  }

  #spill(): void {
    writeWhole(this.#spool.descriptor, this.#ordered(), this.#runs * RUN * BYTES);
    this.#runs += 1;
    this.#held = 0;
    this.#isOrdered = true;
    this.#latest = 0;
  }

  #ordered(): Float64Array {
    const rows = this.#rows.subarray(0, this.#held * FIELDS);
    if (this.#isOrdered) return rows;
    this.#sorter ??= new Sorter();
    return this.#sorter.sorted(rows);
  }
}

/** Puts the rows of a run in order, in memory of its own that serves for every run. */
class Sorter {
  readonly #moments = new Float64Array(RUN);
  readonly #order = new Uint32Array(RUN);
  readonly #sorted = new Float64Array(RUN * FIELDS);

  /** The rows in order, good until the next call. */
  sorted(rows: Float64Array): Float64Array {
    const length = rows.length / FIELDS;
    const [moments, order] = [this.#moments, this.#order.subarray(0, length)];
    for (let index = 0; index < length; index += 1) {
      moments[index] = rows[index * FIELDS] ?? 0;
      order[index] = index;
    }
    order.sort((a, b) => (moments[a] ?? 0) - (moments[b] ?? 0) || a - b);
    let to = 0;
    for (const from of order) {
      for (let field = 0; field < FIELDS; field += 1) this.#sorted[to + field] = rows[from * FIELDS + field] ?? 0;
      to += FIELDS;
    }
    return this.#sorted.subarray(0, to);
  }
}

function writeWhole(file: number, rows: Float64Array, position: number): void {
  const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
