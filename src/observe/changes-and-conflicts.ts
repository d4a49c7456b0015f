import type { Instant } from '../contract/instant.ts';
import { FIELDS_IN_ORDER, PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import type { Profile } from '../contract/snapshots/observation.ts';
import {
  type AccountHistory,
  bitOf,
  type KnownAccount,
  type Version,
  valuesAt,
  valuesBegunAt,
  watermarkOf,
} from '../store/accounts/known-account.ts';

/** A change of a field that an observation found. Without `before`, it is the first value of the field. */
export interface Change {
  readonly type: DataType;
  readonly before: Version | undefined;
  readonly text: string | null;
}

/** A late observation of a field that contradicts the store: the store has another value for that time. */
export interface LateChange {
  readonly late: DataType;
  /** The value in the store; undefined if the store knows only later values. */
  readonly known: string | null | undefined;
  readonly seen: string | null;
}

/** A field that has different values in two snapshots of the same account at the same time. */
export interface FieldConflict {
  readonly type: DataType;
  readonly seen: string | null;
  /** The other values at that time. */
  readonly others: readonly (string | null)[];
  /** Whether a record of that time has the value. Otherwise it is the previous value of the field. */
  readonly isRecorded: boolean;
}

/**
 * Returns the changes that an observation adds to the history of an account.
 * An observation before the watermark can only confirm known values, or give a field its first value, because later records refer to
 * the values before them. If it contradicts a value, the result is a {@link LateChange}.
 * @param account undefined if the account is new
 */
export function changesOf(account: AccountHistory | undefined, profile: Profile, instant: Instant): readonly Change[] | LateChange {
  const watermark = account === undefined ? 0 : watermarkOf(account);
  const isLate = instant < watermark;
  const isNewer = instant > watermark;
  const changes: Change[] = [];
  for (const type of FIELDS_IN_ORDER) {
    const seen = fieldValue(profile, type);
    if (seen === undefined) continue;
    const versions = account?.versions[type] ?? [];
    const before = versions.at(-1);
    const known = before === undefined || !isNewer ? valuesAt(versions, instant) : [before.text];
    if (known.length === 0 && isUnknownBoolean(profile, type)) continue;
    if (before === undefined) {
      changes.push({ type, before, text: seen ?? '' });
      continue;
    }
    if (known.some((value) => isSame(value, seen))) continue;
    if (isLate) return { late: type, known: known[0], seen };
    changes.push({ type, before, text: recordedText(type, seen) });
  }
  return changes;
}

/**
 * Returns the fields in which an observation contradicts other observations of its account at the same time. Those can belong to an
 * earlier run.
 */
export function conflictsOf(account: KnownAccount | undefined, profile: Profile, instant: Instant): readonly FieldConflict[] {
  // most observations are newer than the watermark
  if (account === undefined || instant > watermarkOf(account)) return NONE;
  const found: FieldConflict[] = [];
  for (const type of FIELDS_IN_ORDER) {
    const seen = fieldValue(profile, type);
    if (seen === undefined) continue;
    const versions = account.versions[type];
    const begun = valuesBegunAt(versions, instant);
    const known = valuesAt(versions, instant);
    const isObserved = begun.length > 0 || (instant === account.observed_to && (account.observed_fields & bitOf(type)) !== 0);
    // a boolean that is null makes no first record
    const stored = PROFILE_FIELDS[type].difference === 'boolean' && known.length === 0 ? ['false'] : known;
    const others = (begun.length > 0 ? begun : stored).filter((value) => !isSame(value, seen));
    if (!isObserved || others.length === 0) continue;
    const has = (values: readonly (string | null)[]) => values.some((value) => isSame(value, seen));
    found.push({ type, seen, others, isRecorded: has(begun) || !has(known) });
  }
  return found;
}

const NONE: readonly FieldConflict[] = [];

/** Returns the text of the record for a changed value: a website that is gone has none. */
export function recordedText(type: DataType, seen: string | null): string | null {
  return PROFILE_FIELDS[type].difference === 'link' && isSame(seen, null) ? null : (seen ?? '');
}

/** Returns the fields that a profile contains, one bit for each. */
export function fieldsIn(profile: Profile): number {
  let fields = 0;
  for (const type of FIELDS_IN_ORDER) if (fieldValue(profile, type) !== undefined) fields |= bitOf(type);
  return fields;
}

/** Whether two values are the same. "" and null are the same. undefined means "not observed" and equals nothing. */
export function isSame(one: string | null | undefined, other: string | null): boolean {
  return one !== undefined && (one ?? '') === (other ?? '');
}

/** Returns the value of a field in a profile; undefined if it was not observed. */
export function fieldValue(profile: Profile, type: DataType): string | null | undefined {
  const value = profile[PROFILE_FIELDS[type].keyInProfile];
  return typeof value === 'boolean' || isUnknownBoolean(profile, type) ? String(value === true) : value;
}

/** Whether a boolean field is null: its source says only for which accounts it is true. */
function isUnknownBoolean(profile: Profile, type: DataType): boolean {
  const { difference, keyInProfile } = PROFILE_FIELDS[type];
  return difference === 'boolean' && profile[keyInProfile] === null;
}
