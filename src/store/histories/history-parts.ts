import { isDeepStrictEqual } from 'node:util';
import { checksumOf } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged } from '../database/store-error.ts';
import { NO_OLDER, type OlderRecords } from './derived-history.ts';

/** The place of a part: the first record of its account, its number, and its newest record. */
type Place = readonly [firstRecord: number, number: number, newest: number];
/** The place, {@link OlderRecords} up to the end of the part as JSON, and the checksum of both. */
type Row = readonly [...Place, older: string, checksum: number];

/** The older records of the accounts with many. An account is known by its first record. */
export class HistoryParts {
  readonly #path: string;
  readonly #before: Statement<[number | null, number], Row>;
  readonly #jsonBefore: Statement<[number | null, number], readonly [number: number, json: Buffer]>;
  readonly #add: Statement<[...Row, Buffer]>;

  constructor(database: Connection) {
    this.#path = database.path;
    const before = 'FROM history_part WHERE first_record = ? AND number < ? ORDER BY number DESC LIMIT 1';
    this.#before = database.prepare<[number | null, number], Row>(`SELECT first_record, number, newest, older, checksum ${before}`).raw();
    this.#jsonBefore = database.prepare<[number | null, number], [number, Buffer]>(`SELECT number, CAST(json AS BLOB) ${before}`).raw();
    this.#add = database.prepare("INSERT INTO history_part VALUES (?, ?, ?, ?, ?, ',' || CAST(? AS TEXT))");
  }

  /**
   * Returns the records of an account before a part; by default all that are in parts.
   * @throws Failure bad-store
   */
  before(firstRecord: number | null, end: number = Number.MAX_SAFE_INTEGER): OlderRecords {
    const row = end === 0 ? undefined : this.#before.get(firstRecord, end);
    if (row === undefined) return NO_OLDER;
    const [first, number, newest, older, checksum] = row;
    if (checksumIn([first, number, newest], older) === checksum) return JSON.parse(older);
    throw damaged(this.#path, `part ${number} of the history that begins with record ${first} does not match its checksum`);
  }

  /** Yields the JSON of the records in the parts of an account, newest first. There is a comma before each record. */
  *json(firstRecord: number | null): Generator<Buffer> {
    for (let end = firstRecord === null ? 0 : Number.MAX_SAFE_INTEGER; end > 0; ) {
      const [number, json] = this.#jsonBefore.get(firstRecord, end) ?? [0];
      if (json !== undefined) yield json;
      end = number;
    }
  }

  /**
   * Adds the next part of an account.
   * @param json its records, newest first, separated by commas
   * @param older all records up to its end
   */
  add(place: Place, json: Buffer, older: OlderRecords): void {
    this.#add.run(...rowOf(place, older), json);
  }

  /** Whether the store has a part as {@link add} writes it. */
  has(place: Place, json: Buffer, older: OlderRecords): boolean {
    const [first, number] = place;
    const stored = [this.#before.get(first, number + 1), this.#jsonBefore.get(first, number + 1)];
    return isDeepStrictEqual(stored, [rowOf(place, older), [number, Buffer.concat([Buffer.from(','), json])]]);
  }
}

function rowOf(place: Place, older: OlderRecords): Row {
  const json = JSON.stringify(older);
  return [...place, json, checksumIn(place, json)];
}

function checksumIn(place: Place, older: string): number {
  return checksumOf([...place, older].join(' '));
}
