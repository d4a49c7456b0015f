import type { Place } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { DATA_TYPES, type DataType } from '../contract/record.ts';
import { type KnownAccount, valuesBegunAt } from '../store/known-account.ts';
import { type FieldConflict, fieldValue, isSame } from './changes.ts';
import type { Row } from './sorted-run.ts';
import type { Spool } from './spool.ts';

/** How many conflicts are listed, how many values of each, and how much of a value, in UTF-16 units; all conflicts are counted. */
const LISTED = 100;
const VALUES = 10;
const LENGTH = 500;
/** How many snapshots of one moment are remembered, to say where the first of two that conflict stands. */
const REMEMBERED = 1000;

/** Snapshots of one account that say different values of one field at one moment. */
export interface Conflict {
  readonly account: string;
  readonly data_type: DataType;
  readonly observed_at: string;
  /** In the order in which they came: the last that is recorded is what the field has after that moment. */
  readonly values: readonly ConflictingValue[];
}

export interface ConflictingValue {
  /** Cut where it is long. */
  readonly text: string | null;
  /** Whether a record of that moment has this value; otherwise it is the value that the field had before. */
  readonly recorded: boolean;
  /** The first snapshot that says so; undefined where it is of an earlier run. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Counts the conflicts of a run, whose snapshots come in the order of their moments, and lists the first of them. */
export class ConflictList {
  readonly listed: Conflict[] = [];
  count = 0;
  readonly #seen: Spool;
  #moment: Instant = -1;
  /** The first snapshots of the moment, with the rows of their accounts. */
  readonly #rows: { readonly account: number; readonly row: Row }[] = [];
  /** The fields that have a conflict at the moment, each as a number, with the values of those that are listed. */
  readonly #open = new Map<number, ConflictingValue[] | undefined>();

  constructor(seen: Spool) {
    this.#seen = seen;
  }

  /** Adds a snapshot of an account, with the conflicts that it has with those of the moment that were added before. */
  add(account: KnownAccount, row: Row, conflicts: readonly FieldConflict[]): void {
    if (row.moment !== this.#moment) this.#begin(row.moment);
    if (this.#rows.length < REMEMBERED) this.#rows.push({ account: account.row, row });
    for (const conflict of conflicts) {
      const field = account.row * DATA_TYPES.length + DATA_TYPES.indexOf(conflict.type);
      if (!this.#open.has(field)) this.#open.set(field, this.#list(account, conflict));
      const values = this.#open.get(field);
      const said = conflicting(conflict.seen, conflict.isRecorded, this.#seen.place(row));
      if (values !== undefined && values.length < VALUES && !values.some(({ text }) => isSame(text, said.text))) values.push(said);
    }
  }

  #begin(moment: Instant): void {
    this.#moment = moment;
    this.#rows.length = 0;
    if (this.#open.size > 0) this.#open.clear();
  }

  /** Lists a conflict, if there is room, with the values that came before the one in which it shows. */
  #list(account: KnownAccount, { type, others }: FieldConflict): ConflictingValue[] | undefined {
    this.count += 1;
    if (this.listed.length >= LISTED) return undefined;
    const begun = valuesBegunAt(account.versions[type], this.#moment);
    const earlier = this.#rows.filter((seen) => seen.account === account.row).map(({ row }) => row);
    const values = others.slice(0, VALUES).map((text) => {
      const first = earlier.find((row) => isSame(fieldValue(this.#seen.observation(row).profile, type), text));
      return conflicting(
        text,
        begun.some((value) => isSame(value, text)),
        first && this.#seen.place(first),
      );
    });
    this.listed.push({ account: account.identity.screen_name, data_type: type, observed_at: timestampOf(this.#moment), values });
    return values;
  }
}

function conflicting(text: string | null, recorded: boolean, place: Place | undefined): ConflictingValue {
  return { text: shortened(text), recorded, file: place?.file, line: place?.line };
}

function shortened(text: string | null): string | null {
  return text === null || text.length <= LENGTH ? text : `${text.slice(0, LENGTH).toWellFormed()}…`;
}
