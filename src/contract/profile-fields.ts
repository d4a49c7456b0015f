import type { Summary } from './account.ts';
import { DATA_TYPES, type DataType } from './record.ts';
import type { Profile } from './snapshots/observation.ts';

/** What distinguishes a field of a profile from the others. */
interface ProfileField {
  /** Its place among the records of one observation, and in lists. */
  readonly place: number;
  readonly keyInProfile: Exclude<keyof Profile, 'screen_name' | 'id'>;
  /** Undefined if it is not in the summary of an account. */
  readonly keyInSummary: keyof Summary | undefined;
  /** How a change is marked: inside the text, as a whole text, as a whole link, or as true or false. */
  readonly difference: 'text' | 'block' | 'link' | 'boolean';
  /** The class of its changes in HTML pages. */
  readonly htmlClass: 'N' | 'B' | 'L' | 'W' | 'V';
}

/** All that depends on the field of a record. A new field does not compile without its row. */
export const PROFILE_FIELDS: { readonly [T in DataType]: ProfileField } = {
  Name: { place: 0, keyInProfile: 'display_name', keyInSummary: 'display_name', difference: 'text', htmlClass: 'N' },
  Bio: { place: 1, keyInProfile: 'bio', keyInSummary: 'bio', difference: 'text', htmlClass: 'B' },
  Location: { place: 2, keyInProfile: 'location', keyInSummary: 'location', difference: 'block', htmlClass: 'L' },
  Website: { place: 3, keyInProfile: 'website', keyInSummary: 'website', difference: 'link', htmlClass: 'W' },
  Verified: { place: 4, keyInProfile: 'verified', keyInSummary: undefined, difference: 'boolean', htmlClass: 'V' },
};

/** The fields by their places. */
export const FIELDS_IN_ORDER: readonly DataType[] = DATA_TYPES.toSorted(
  (one, other) => PROFILE_FIELDS[one].place - PROFILE_FIELDS[other].place,
);

/** Returns a counter of 0 for each field. */
export function countsByField(): Record<DataType, number> {
  return { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 };
}
