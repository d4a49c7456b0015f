import type { Instant } from '../contract/instant.ts';
import type { Profile } from '../contract/observation.ts';
import type { DataType } from '../contract/record.ts';
import { bitOf, type KnownAccount, type Version, valuesAt, valuesBegunAt, watermarkOf } from '../store/known-account.ts';

/** A field that an observation found other than it was; without a version before it is the field's first. */
export interface Change {
  readonly type: DataType;
  readonly before: Version | undefined;
  readonly text: string | null;
}

/** A field that was observed otherwise than the store already says it was at that moment. */
export interface LateChange {
  readonly late: DataType;
  /** Undefined: the store knows only what it was later. */
  readonly known: string | null | undefined;
  readonly seen: string | null;
}

/** A field of which one snapshot says otherwise than another of the same account and moment. */
export interface FieldConflict {
  readonly type: DataType;
  readonly seen: string | null;
  /** What others of that moment said. */
  readonly others: readonly (string | null)[];
  /** Whether a record of that moment has the value; otherwise it is the value that the field had before. */
  readonly isRecorded: boolean;
}

/** The order of one observation's records. */
const FIELDS: readonly DataType[] = ['Name', 'Bio', 'Location', 'Website', 'Verified'];

/**
 * What an observation adds to an account's history. One that lies before what is settled can add no
 * change, because the records after it follow from what they found; it may be the first to see a field.
 * @param account undefined: it is new
 */
export function changesOf(account: KnownAccount | undefined, profile: Profile, moment: Instant): readonly Change[] | LateChange {
  const front = account === undefined ? 0 : watermarkOf(account);
  const isLate = moment < front;
  const isSettled = moment <= front;
  const changes: Change[] = [];
  for (const type of FIELDS) {
    const seen = fieldValue(profile, type);
    if (seen === undefined) continue;
    const versions = account?.versions[type] ?? [];
    const before = versions.at(-1);
    if (before === undefined) {
      changes.push({ type, before, text: seen ?? '' });
      continue;
    }
    const known = isSettled ? valuesAt(versions, moment) : [before.text];
    if (known.some((value) => isSame(value, seen))) continue;
    if (isLate) return { late: type, known: known[0], seen };
    changes.push({ type, before, text: type === 'Website' && isSame(seen, null) ? null : (seen ?? '') });
  }
  return changes;
}

/** Where an observation says otherwise than others of its account at the very same moment, of this run or an earlier one. */
export function conflictsOf(account: KnownAccount | undefined, profile: Profile, moment: Instant): readonly FieldConflict[] {
  // most come after all that is known
  if (account === undefined || moment > watermarkOf(account)) return NONE;
  const found: FieldConflict[] = [];
  for (const type of FIELDS) {
    const seen = fieldValue(profile, type);
    if (seen === undefined) continue;
    const versions = account.versions[type];
    const begun = valuesBegunAt(versions, moment);
    const known = valuesAt(versions, moment);
    const isObserved = begun.length > 0 || (moment === account.observed_to && (account.observed_fields & bitOf(type)) !== 0);
    const others = (begun.length > 0 ? begun : known).filter((value) => !isSame(value, seen));
    if (!isObserved || others.length === 0) continue;
    const has = (values: readonly (string | null)[]) => values.some((value) => isSame(value, seen));
    found.push({ type, seen, others, isRecorded: has(begun) || !has(known) });
  }
  return found;
}

const NONE: readonly FieldConflict[] = [];

/** The fields that a profile carries: a bit for each. */
export function fieldsIn(profile: Profile): number {
  let fields = 0;
  for (const type of FIELDS) if (fieldValue(profile, type) !== undefined) fields |= bitOf(type);
  return fields;
}

/** Between "" and null there is no change; undefined, which was not observed, is the same as nothing else. */
export function isSame(one: string | null | undefined, other: string | null): boolean {
  return one !== undefined && (one ?? '') === (other ?? '');
}

/** What a profile says of a field; undefined where it was not observed. */
export function fieldValue(profile: Profile, type: DataType): string | null | undefined {
  switch (type) {
    case 'Name':
      return profile.display_name;
    case 'Bio':
      return profile.bio;
    case 'Location':
      return profile.location;
    case 'Website':
      return profile.website;
    case 'Verified':
      return profile.verified === undefined ? undefined : String(profile.verified);
  }
}
