import type { Moment } from '../contract/moment.ts';
import type { Profile } from '../contract/observation.ts';
import type { DataType } from '../contract/record.ts';
import { frontOf, type KnownAccount, type Version, valuesAt } from '../store/known-account.ts';

/** A field that an observation found other than it was; without a version before it is the field's first. */
export interface Change {
  readonly type: DataType;
  readonly before: Version | undefined;
  readonly text: string | null;
}

/** A field that was observed otherwise than the store already says it was at that moment. */
export interface Late {
  readonly late: DataType;
  /** Undefined: the store knows only what it was later. */
  readonly known: string | null | undefined;
  readonly seen: string | null;
}

/** The order of one observation's records. */
const FIELDS: readonly DataType[] = ['Name', 'Bio', 'Location', 'Website', 'Verified'];

/**
 * What an observation adds to an account's history. One that lies before what is settled can add no
 * change, because the records after it follow from what they found; it may be the first to see a field.
 * @param account undefined: it is new
 */
export function changesOf(account: KnownAccount | undefined, profile: Profile, moment: Moment): readonly Change[] | Late {
  const front = account === undefined ? 0 : frontOf(account);
  const isLate = moment < front;
  const isSettled = moment <= front;
  const changes: Change[] = [];
  for (const type of FIELDS) {
    const seen = seenIn(profile, type);
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

/** Between "" and null there is no change. */
function isSame(one: string | null, other: string | null): boolean {
  return (one ?? '') === (other ?? '');
}

function seenIn(profile: Profile, type: DataType): string | null | undefined {
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
