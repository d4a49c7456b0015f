import type { Identity } from '../contract/account.ts';
import type { Instant } from '../contract/instant.ts';
import { DATA_TYPES, type DataType } from '../contract/record.ts';

/** One value that a field had, from a moment on. */
export interface Version {
  /** The record that says so. */
  readonly id: number;
  readonly text: string | null;
  readonly since: Instant;
}

/** What the store knows of an account: each field's values, in the order of their ids and moments. */
export interface KnownAccount {
  readonly row: number;
  stable_id: string | undefined;
  identity: Identity;
  /** Up to when it has been observed; undefined: never. */
  observed_to: Instant | undefined;
  /** Which fields were observed at that very moment: a bit for each. */
  observed_fields: number;
  readonly versions: { readonly [T in DataType]: Version[] };
  /** A number that stands for the profile it was last seen with in this run. */
  profile: number | undefined;
}

/** A field's bit in a set of fields. */
export function bitOf(type: DataType): number {
  return 1 << DATA_TYPES.indexOf(type);
}

/** Notes that an account was observed at a moment, and which fields were: a bit for each. */
export function markObserved(account: KnownAccount, moment: Instant, fields: number): void {
  if (moment < (account.observed_to ?? -1)) return;
  account.observed_fields = moment === account.observed_to ? account.observed_fields | fields : fields;
  account.observed_to = moment;
}

/** Up to when the account's history is settled: what happened before cannot be put in any more. */
export function watermarkOf(account: KnownAccount): Instant {
  const newest = Object.values(account.versions).map((versions) => versions.at(-1)?.since ?? 0);
  return Math.max(account.observed_to ?? 0, ...newest);
}

/** The values that a field is known to have had at a moment: the one before it, and all that began in it. */
export function valuesAt(versions: readonly Version[], moment: Instant): readonly (string | null)[] {
  const values: (string | null)[] = [];
  for (let index = countUntil(versions, moment) - 1; index >= 0; index -= 1) {
    const version = versions[index];
    if (version === undefined) break;
    values.push(version.text);
    if (version.since < moment) break;
  }
  return values;
}

/** The values that began at a moment, the first one first. */
export function valuesBegunAt(versions: readonly Version[], moment: Instant): readonly (string | null)[] {
  const end = countUntil(versions, moment);
  let start = end;
  while (start > 0 && versions[start - 1]?.since === moment) start -= 1;
  return versions.slice(start, end).map(({ text }) => text);
}

/**
 * Until when the same profile, seen again, tells nothing new after it was seen at a moment: until a field is
 * known to have changed, or until the present, which may show more than the history of the fields does.
 */
export function knownUntil(account: KnownAccount, moment: Instant): Instant {
  const front = watermarkOf(account);
  if (moment >= front) return Number.POSITIVE_INFINITY;
  const changes = Object.values(account.versions).map((versions) => versions[countUntil(versions, moment)]?.since ?? front);
  return Math.min(front, ...changes);
}

/** How many of a field's versions had begun by a moment: found by halving, as there may be very many. */
function countUntil(versions: readonly Version[], moment: Instant): number {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((versions[middle]?.since ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
