import { crc32 } from 'node:zlib';
import type { Identity } from '../../contract/account.ts';
import { type ChangeInterval, changeChecksum } from '../../contract/accounts/change-interval.ts';
import { type Instant, timestampOf } from '../../contract/instant.ts';
import { type ChangeRecord, DATA_TYPES, type DataType } from '../../contract/record.ts';

/** The estimated overhead of an account, a value beside its text or an interval, in UTF-16 units. */
export const OVERHEAD_UNITS = 130;

/** One value of a field, from an instant on. */
export interface Version {
  /** The id of the record with this value. */
  readonly id: number;
  readonly text: string | null;
  readonly since: Instant;
}

/** What is known of the values of an account. */
export interface AccountHistory {
  /** The instant of the latest observation; undefined: never observed. */
  observed_to: Instant | undefined;
  /** The values of each field in the order of their ids and times. */
  readonly versions: { readonly [T in DataType]: Version[] };
}

export interface KnownAccount extends AccountHistory {
  readonly row: number;
  stable_id: string | undefined;
  identity: Identity;
  /** The fields observed at that instant: one bit for each. */
  observed_fields: number;
  /** As in the store; null: unknown, or the account has new values. */
  observed_checksum: number | null;
  /** Whether no value changed since the latest observation, such as by an import. undefined: not compared yet. */
  isUnchangedSinceObserved: boolean | undefined;
  /** The intervals of its new records, which are not in the store yet. */
  readonly intervals: ChangeInterval[];
  /** A number that identifies the last profile of the account in this run. */
  profile: number | undefined;
  /** Whether it was used since the cache last looked for accounts to evict. */
  isUsed: boolean;
}

/** Returns an account that was never observed and has no values. */
export function accountWithoutValues(row: number, identity: Identity, stable_id: string | undefined): KnownAccount {
  const versions = { Name: [], Bio: [], Location: [], Website: [], Verified: [] };
  const observed = {
    observed_to: undefined,
    observed_fields: 0,
    observed_checksum: null,
    isUnchangedSinceObserved: undefined,
    intervals: [],
  };
  return { row, stable_id, identity, ...observed, versions, profile: undefined, isUsed: false };
}

/** Returns the estimated size of an account in memory, in UTF-16 units. */
export function weightOf({ versions, intervals }: KnownAccount): number {
  let weight = OVERHEAD_UNITS * (1 + intervals.length);
  for (const type of DATA_TYPES) for (const version of versions[type]) weight += versionWeight(version);
  return weight;
}

/** Returns the estimated size of a value in memory, in UTF-16 units. */
function versionWeight({ text }: Version): number {
  return OVERHEAD_UNITS + (text?.length ?? 0);
}

/** Adds a value, and drops those that ended before an instant. Returns the difference of the weight. */
export function pushVersion(versions: Version[], version: Version, now: Instant): number {
  let weight = versionWeight(version);
  versions.push(version);
  while ((versions[1]?.since ?? now) < now) {
    const dropped = versions.shift();
    if (dropped !== undefined) weight -= versionWeight(dropped);
  }
  return weight;
}

/** Returns the checksum of the newest values after the latest observation; null: unknown. It is computed only if it can have changed. */
export function observedChecksum({ observed_checksum, isUnchangedSinceObserved, versions }: KnownAccount): number | null {
  return isUnchangedSinceObserved === true && (observed_checksum ?? -1) < 0 ? newestChecksum(versions) : observed_checksum;
}

/** Returns the CRC-32 of the newest value of each field. A missing value, null and "" are the same. */
function newestChecksum(versions: AccountHistory['versions']): number {
  let values = '';
  for (const type of DATA_TYPES) values += `${versions[type].at(-1)?.text ?? ''}\0`;
  return crc32(values);
}

/**
 * Decodes the column `observed_checksum`. A negative value is -1 - checksum. It is stale: the account changed since it was written, or it came
 * from another store. So it must be compared with the newest values.
 */
export function decodeObservedChecksum(column: number): number {
  return Math.max(column, -1 - column);
}

export function bitOf(type: DataType): number {
  return 1 << DATA_TYPES.indexOf(type);
}

/** Marks that an account was observed at an instant, with a set of fields: one bit for each. */
export function markObserved(account: KnownAccount, instant: Instant, fields: number): void {
  if (instant < (account.observed_to ?? -1)) return;
  if (instant !== account.observed_to) {
    account.observed_fields = 0;
    account.isUnchangedSinceObserved = true;
  }
  account.observed_fields |= fields;
  account.observed_to = instant;
}

/** Marks that the latest observation does not say what the newest values are, until there is a newer observation. */
export function forgetObservedValues(account: KnownAccount): void {
  account.isUnchangedSinceObserved = false;
  account.observed_checksum = null;
}

/**
 * Returns between which observations a field changed. Returns undefined if that is not known: the latest observation did not have the field,
 * or the value before is newer, came from elsewhere or does not exist.
 * @param record the record of the change, which is not in the history yet
 */
export function intervalOf(account: KnownAccount, record: ChangeRecord, instant: Instant): ChangeInterval | undefined {
  const { observed_to = instant, observed_fields, observed_checksum, versions } = account;
  account.isUnchangedSinceObserved ??= observed_checksum !== null && decodeObservedChecksum(observed_checksum) === newestChecksum(versions);
  // the latest observation did not show a late value
  if (instant < observed_to) forgetObservedValues(account);
  const before = versions[record.data_type].at(-1);
  if (!account.isUnchangedSinceObserved || (observed_fields & bitOf(record.data_type)) === 0 || before === undefined) return undefined;
  if (observed_to < before.since || observed_to >= instant) return undefined;
  return { record: record.id, from: timestampOf(observed_to), checksum: changeChecksum(before.text, record) };
}

/** Returns the watermark of an account: its history is final up to this instant, and accepts no earlier change. */
export function watermarkOf(account: AccountHistory): Instant {
  const newest = Object.values(account.versions).map((versions) => versions.at(-1)?.since ?? 0);
  return Math.max(account.observed_to ?? 0, ...newest);
}

/** Returns the known values of a field at an instant: the value before it, and all values that began at it. */
export function valuesAt(versions: readonly Version[], instant: Instant): readonly (string | null)[] {
  const values: (string | null)[] = [];
  for (let index = countUntil(versions, instant) - 1; index >= 0; index -= 1) {
    const version = versions[index];
    if (version === undefined) break;
    values.push(version.text);
    if (version.since < instant) break;
  }
  return values;
}

/** Returns the values that began at an instant, oldest first. */
export function valuesBegunAt(versions: readonly Version[], instant: Instant): readonly (string | null)[] {
  const end = countUntil(versions, instant);
  let start = end;
  while (start > 0 && versions[start - 1]?.since === instant) start -= 1;
  return versions.slice(start, end).map(({ text }) => text);
}

/**
 * Returns the instant until which the same profile adds nothing new after an observation. It is the next known change of
 * a field, or the watermark: from then on, a profile can also change the handle and the picture, which have no history.
 */
export function knownUntil(account: KnownAccount, instant: Instant): Instant {
  const watermark = watermarkOf(account);
  if (instant >= watermark) return Number.POSITIVE_INFINITY;
  const changes = Object.values(account.versions).map((versions) => versions[countUntil(versions, instant)]?.since ?? watermark);
  return Math.min(watermark, ...changes);
}

/** Returns the number of versions that had begun by an instant. It uses binary search, because a field can have very many. */
function countUntil(versions: readonly Version[], instant: Instant): number {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((versions[middle]?.since ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
