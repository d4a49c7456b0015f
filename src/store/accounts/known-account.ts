import type { Identity } from '../../contract/account.ts';
import type { Instant } from '../../contract/instant.ts';
import { DATA_TYPES, type DataType } from '../../contract/record.ts';

/** The estimated overhead of an account or a value beside its text, in UTF-16 units. */
const OVERHEAD_UNITS = 130;

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

/** An account in the store. */
export interface KnownAccount extends AccountHistory {
  readonly row: number;
  stable_id: string | undefined;
  identity: Identity;
  /** The fields observed at that instant: one bit for each. */
  observed_fields: number;
  /** A number that identifies the last profile of the account in this run. */
  profile: number | undefined;
  /** Whether it was used since the cache last looked for accounts to evict. */
  isUsed: boolean;
}

/** Returns the versions of an account without values. */
export function emptyVersions(): AccountHistory['versions'] {
  return { Name: [], Bio: [], Location: [], Website: [], Verified: [] };
}

/** Returns the estimated size of a history in memory, in UTF-16 units. */
export function weightOf({ versions }: AccountHistory): number {
  let weight = OVERHEAD_UNITS;
  for (const type of DATA_TYPES) for (const version of versions[type]) weight += versionWeight(version);
  return weight;
}

/** Returns the estimated size of a value in memory, in UTF-16 units. */
export function versionWeight({ text }: Version): number {
  return OVERHEAD_UNITS + (text?.length ?? 0);
}

/** Returns the bit of a field in a set of fields. */
export function bitOf(type: DataType): number {
  return 1 << DATA_TYPES.indexOf(type);
}

/** Marks that an account was observed at an instant, with a set of fields: one bit for each. */
export function markObserved(account: KnownAccount, instant: Instant, fields: number): void {
  if (instant < (account.observed_to ?? -1)) return;
  account.observed_fields = instant === account.observed_to ? account.observed_fields | fields : fields;
  account.observed_to = instant;
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
