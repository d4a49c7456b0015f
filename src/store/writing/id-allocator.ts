import { type Instant, parseInstant } from '../../contract/instant.ts';
import type { Connection } from '../database/connection.ts';

interface Neighbor {
  readonly id: number;
  readonly date: string;
}

const NEIGHBOR = "SELECT id, ifnull(json ->> 'first_encountered_date', '') AS date FROM record WHERE";
const BELOW = `${NEIGHBOR} id < ? ORDER BY id DESC LIMIT 1`;
const ABOVE = `${NEIGHBOR} id > ? ORDER BY id LIMIT 1`;
/** The number of taken ids that one query reads in the search for a free one. */
const BATCH_SIZE = 1000;

/** Allocates ids for new records, so that the order of the feed by id is also its order by date. */
export class IdAllocator {
  /** The highest id, and the time of its record. */
  #newest: { id: number; instant: Instant };
  /** The last allocated id and its instant. The search for the next id of that instant begins after it. */
  #last: { id: number; instant: Instant } = { id: -1, instant: -1 };
  readonly #database: Connection;

  constructor(database: Connection) {
    this.#database = database;
    const newest = database.get<Neighbor>(BELOW, Number.MAX_SAFE_INTEGER + 1);
    this.#newest = newest === undefined ? { id: -1, instant: -1 } : { id: newest.id, instant: parseInstant(newest.date) ?? 0 };
  }

  /** Allocates ascending ids for a number of records of one instant. Returns undefined if the order has no room for them. */
  allocate(instant: Instant, records: number): readonly number[] | undefined {
    const ids: number[] = [];
    for (let from = this.#start(instant); ids.length < records; ) {
      const id = instant >= this.#newest.instant ? Math.max(from, this.#newest.id + 1) : this.#free(from, instant);
      if (id === undefined || id > Number.MAX_SAFE_INTEGER) return undefined;
      ids.push(id);
      from = id + 1;
    }
    const id = ids.at(-1);
    if (id === undefined) return ids;
    if (id > this.#newest.id) this.#newest = { id, instant };
    this.#last = { id, instant };
    return ids;
  }

  #start(instant: Instant): number {
    return instant === this.#last.instant ? this.#last.id + 1 : instant;
  }

  /** Returns the next free id, if the record below it is not newer and the record above it is not older. */
  #free(from: number, instant: Instant): number | undefined {
    const id = this.#gap(from);
    const [below, above] = [BELOW, ABOVE].map((query) => this.#database.get<Neighbor>(query, id));
    if (below !== undefined && (parseInstant(below.date) ?? 0) > instant) return undefined;
    if (above !== undefined && (parseInstant(above.date) ?? 0) < instant) return undefined;
    return id;
  }

  #gap(from: number): number {
    for (let next = from; ; ) {
      const taken = this.#database.values<number>('SELECT id FROM record WHERE id >= ? ORDER BY id LIMIT +?', next, BATCH_SIZE);
      for (const id of taken) {
        if (id !== next) return next;
        next += 1;
      }
      if (taken.length < BATCH_SIZE) return next;
    }
  }
}
