import { firstId } from '../contract/generated-id.ts';
import { type Instant, parseInstant } from '../contract/instant.ts';
import type { Connection, Statement } from './connection.ts';

interface Neighbour {
  readonly id: number;
  readonly date: string;
}

/** How many ids are looked at in one query for one that is free. */
const BATCH_SIZE = 1000;

/** Gives new records their ids, so that the feed falls by id and by date at once. */
export class IdAllocator {
  /** The record with the highest id, and its moment. */
  #newest: { id: number; moment: Instant };
  /** The id given last, and its moment: the next of that moment is looked for behind it. */
  #last: { id: number; moment: Instant } = { id: -1, moment: -1 };
  readonly #below: Statement<[number], Neighbour>;
  readonly #above: Statement<[number], Neighbour>;
  readonly #taken: Statement<[number, number], number>;

  constructor(database: Connection) {
    this.#below = database.prepare('SELECT id, first_encountered_date AS date FROM record WHERE id < ? ORDER BY id DESC LIMIT 1');
    this.#above = database.prepare('SELECT id, first_encountered_date AS date FROM record WHERE id > ? ORDER BY id LIMIT 1');
    this.#taken = database.prepare<[number, number], number>('SELECT id FROM record WHERE id >= ? ORDER BY id LIMIT +?').pluck();
    const newest = this.#below.get(Number.MAX_SAFE_INTEGER + 1);
    this.#newest = newest === undefined ? { id: -1, moment: -1 } : { id: newest.id, moment: parseInstant(newest.date) ?? 0 };
  }

  /** Ids for so many records of one moment, rising; undefined where there is no room for them in the order. */
  allocate(moment: Instant, records: number): readonly number[] | undefined {
    const ids: number[] = [];
    for (let from = this.#start(moment); ids.length < records; ) {
      const id = moment >= this.#newest.moment ? Math.max(from, this.#newest.id + 1) : this.#free(from, moment);
      if (id === undefined || id > Number.MAX_SAFE_INTEGER) return undefined;
      ids.push(id);
      from = id + 1;
    }
    const id = ids.at(-1);
    if (id === undefined) return ids;
    if (id > this.#newest.id) this.#newest = { id, moment };
    this.#last = { id, moment };
    return ids;
  }

  #start(moment: Instant): number {
    return moment === this.#last.moment ? this.#last.id + 1 : firstId(moment);
  }

  /** The next id that is free, if the records around it are no younger below and no older above. */
  #free(from: number, moment: Instant): number | undefined {
    const id = this.#gap(from);
    const [below, above] = [this.#below.get(id), this.#above.get(id)];
    if (below !== undefined && (parseInstant(below.date) ?? 0) > moment) return undefined;
    if (above !== undefined && (parseInstant(above.date) ?? 0) < moment) return undefined;
    return id;
  }

  #gap(from: number): number {
    for (let next = from; ; ) {
      const taken = this.#taken.all(next, BATCH_SIZE);
      for (const id of taken) {
        if (id !== next) return next;
        next += 1;
      }
      if (taken.length < BATCH_SIZE) return next;
    }
  }
}
