import type { Place } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { DATA_TYPES, type DataType } from '../contract/record.ts';
import { type KnownAccount, valuesBegunAt } from '../store/accounts/known-account.ts';
import { type FieldConflict, fieldValue, isSame } from './changes-and-conflicts.ts';
import type { Row } from './spool/sorted-run.ts';
import type { Spool } from './spool/spool.ts';

/** The maximum number of listed conflicts, of values in each, and of UTF-16 units in a value. All conflicts are counted. */
const MAX_LISTED = 100;
const MAX_VALUES = 10;
const MAX_LENGTH = 500;
/** How many snapshots of one time are kept. They show the place of the first of two conflicting snapshots. */
const KEPT_ROWS = 1000;

/** Different values of one field in snapshots of one account at one time. */
export interface Conflict {
  readonly account: string;
  readonly data_type: DataType;
  readonly observed_at: string;
  /** In input order. The last recorded value is the value of the field after that time. */
  readonly values: readonly ConflictingValue[];
}

export interface ConflictingValue {
  /** Truncated if it is long. */
  readonly text: string | null;
  /** Whether a record of that time has this value. Otherwise it is the previous value of the field. */
  readonly recorded: boolean;
  /** The first snapshot with this value; undefined if it belongs to an earlier run. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Counts the conflicts of a run and lists the first of them. The snapshots must be added in time order. */
export class ConflictReport {
  readonly listed: Conflict[] = [];
  count = 0;
  readonly #spool: Spool;
  #instant: Instant = -1;
  /** The first snapshots of the current time, with the rows of their accounts. */
  readonly #rows: { readonly account: number; readonly row: Row }[] = [];
  /** The fields with a conflict at the current time, by number. The values are undefined if the conflict is not listed. */
  readonly #valuesByField = new Map<number, ConflictingValue[] | undefined>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** Adds a snapshot of an account and its conflicts with earlier snapshots of the same time. */
  add(account: KnownAccount, row: Row, conflicts: readonly FieldConflict[]): void {
    if (row.instant !== this.#instant) this.#begin(row.instant);
    if (this.#rows.length < KEPT_ROWS) this.#rows.push({ account: account.row, row });
    for (const conflict of conflicts) {
      const field = account.row * DATA_TYPES.length + DATA_TYPES.indexOf(conflict.type);
      if (!this.#valuesByField.has(field)) this.#valuesByField.set(field, this.#list(account, conflict));
      const values = this.#valuesByField.get(field);
      const value = conflictingValue(conflict.seen, conflict.isRecorded, this.#spool.place(row));
      if (values !== undefined && values.length < MAX_VALUES && !values.some(({ text }) => isSame(text, value.text))) values.push(value);
    }
  }

  #begin(instant: Instant): void {
    this.#instant = instant;
    this.#rows.length = 0;
    if (this.#valuesByField.size > 0) this.#valuesByField.clear();
  }

  /** Lists a conflict with the earlier values, unless the list is full. */
  #list(account: KnownAccount, { type, others }: FieldConflict): ConflictingValue[] | undefined {
    this.count += 1;
    if (this.listed.length >= MAX_LISTED) return undefined;
    const begun = valuesBegunAt(account.versions[type], this.#instant);
    const earlier = this.#rows.filter((seen) => seen.account === account.row).map(({ row }) => row);
    const values = others.slice(0, MAX_VALUES).map((text) => {
      const first = earlier.find((row) => isSame(fieldValue(this.#spool.observation(row).profile, type), text));
      return conflictingValue(
        text,
        begun.some((value) => isSame(value, text)),
        first && this.#spool.place(first),
      );
    });
    this.listed.push({ account: account.identity.screen_name, data_type: type, observed_at: timestampOf(this.#instant), values });
    return values;
  }
}

function conflictingValue(text: string | null, recorded: boolean, place: Place | undefined): ConflictingValue {
  return { text: truncated(text), recorded, file: place?.file, line: place?.line };
}

function truncated(text: string | null): string | null {
  return text === null || text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).toWellFormed()}…`;
}
