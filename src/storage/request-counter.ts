export type RequestKind = 'reads' | 'writes' | 'deletes';

/** Counts requests and the bytes sent. */
export class RequestCounter {
  writes = 0;
  reads = 0;
  deletes = 0;
  /** How many of these requests were retries. */
  retries = 0;
  /** The bytes of the objects that were sent, after compression. */
  sent = 0;

  get requests(): number {
    return this.writes + this.reads + this.deletes;
  }
}
