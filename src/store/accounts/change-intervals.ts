import { type ChangeInterval, changeChecksum, changeIntervals, mergedIntervals } from '../../contract/accounts/change-interval.ts';
import { parseInstant } from '../../contract/instant.ts';
import { encodeJson } from '../../contract/json.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import { checksumOf } from '../check/checksum.ts';
import type { Connection, Statement } from '../database/connection.ts';
import { damaged, storedJson } from '../database/store-error.ts';
import type { AccountRow } from './account-rows.ts';

export type IntervalsRow = Pick<AccountRow, 'id' | 'screen_name' | 'change_intervals' | 'intervals_checksum'>;

/**
 * Returns the intervals of an account; undefined if it has none.
 * @throws Failure bad-store if their list does not match its checksum, or is no such list
 */
export function intervalsOf(path: string, row: IntervalsRow): readonly ChangeInterval[] | undefined {
  const { screen_name, change_intervals, intervals_checksum } = row;
  if (change_intervals === null && intervals_checksum === null) return undefined;
  const subject = `the list of change intervals of ${screen_name}`;
  if (checksumOf(change_intervals) !== intervals_checksum) throw damaged(path, `${subject} does not match its checksum`);
  const intervals: unknown = storedJson(path, subject, change_intervals ?? '');
  if (!changeIntervals.accepts(intervals)) throw damaged(path, `${subject} is not ${changeIntervals.expected}`);
  return intervals;
}

/** Whether the list of intervals of an account does not match its checksum. */
export function areIntervalsDamaged({ change_intervals, intervals_checksum }: IntervalsRow): boolean {
  return (change_intervals === null ? null : checksumOf(change_intervals)) !== intervals_checksum;
}

/** Deletes the lists of intervals that do not match their checksums. Everything else of an account can be known without them. */
export const DELETE_DAMAGED_INTERVALS = `UPDATE account SET change_intervals = NULL, intervals_checksum = NULL
  WHERE crc32(change_intervals) IS NOT intervals_checksum`;

/** A record, and the value before it. */
interface StoredChange extends Pick<ChangeRecord, 'text' | 'first_encountered_date'> {
  readonly before: string | null;
  readonly since: string;
}

export class IntervalWriter {
  readonly #path: string;
  readonly #stored: Statement<[number], IntervalsRow>;
  readonly #set: Statement<[string | null, number | null, number]>;
  readonly #change: Statement<[number, number], StoredChange>;

  constructor(database: Connection) {
    this.#path = database.path;
    this.#stored = database.prepare('SELECT id, screen_name, change_intervals, intervals_checksum FROM account WHERE id = ?');
    this.#set = database.prepare('UPDATE account SET change_intervals = ?, intervals_checksum = CAST(? AS INTEGER) WHERE id = ?');
    this.#change = database.prepare(
      `SELECT record.json ->> 'text' AS text, record.json ->> 'first_encountered_date' AS first_encountered_date,
          before.json ->> 'text' AS before, before.json ->> 'first_encountered_date' AS since
        FROM record CROSS JOIN record AS before ON before.id = record.json ->> 'previous' AND before.account = record.account
        WHERE record.id = ? AND record.account = ?`,
    );
  }

  /** Adds intervals to those of an account. @param row its row number */
  add(row: number, intervals: readonly ChangeInterval[]): void {
    const stored = this.#stored.get(row);
    this.set(row, [...((stored && intervalsOf(this.#path, stored)) ?? []), ...intervals]);
  }

  /** Sets the intervals of an account, and returns their JSON. */
  set(row: number, intervals: readonly ChangeInterval[]): string | null {
    const all = mergedIntervals(intervals)?.map(({ record, from, checksum }) => ({ record, from, checksum }));
    const json = all === undefined ? null : encodeJson(all);
    this.#set.run(json, json === null ? null : checksumOf(json), row);
    return json;
  }

  /**
   * Deletes each interval of an account that does not fit the records: its record or the one before is missing, belongs to another account,
   * or has other values. Returns the JSON of those that stay.
   */
  dropUnmatched(account: IntervalsRow): string | null {
    const all = intervalsOf(this.#path, account) ?? [];
    const kept = all.filter((interval) => this.#matchesRecords(account.id, interval));
    return kept.length < all.length ? this.set(account.id, kept) : account.change_intervals;
  }

  #matchesRecords(account: number, { record, from, checksum }: ChangeInterval): boolean {
    const change = this.#change.get(record, account);
    if (change === undefined || changeChecksum(change.before, change) !== checksum) return false;
    const [since, observed, until] = [change.since, from, change.first_encountered_date].map(parseInstant);
    return since !== undefined && observed !== undefined && until !== undefined && since <= observed && observed < until;
  }
}
