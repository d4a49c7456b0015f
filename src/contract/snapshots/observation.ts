import type { Instant } from '../instant.ts';

/**
 * An observed profile. An undefined field was not observed and changes nothing. "" and null are observed
 * values: the field is empty. Texts are well-formed Unicode without NUL.
 */
export interface Profile {
  /** Undefined if the source could not tell the handle. Such a profile has an id. */
  readonly screen_name: string | undefined;
  /** The stable id (id_str of Twitter, a DID); undefined if the source has none. */
  readonly id: string | undefined;
  readonly display_name: string | undefined;
  readonly bio: string | undefined;
  readonly location: string | undefined;
  readonly website: string | null | undefined;
  /** Null: the source says nothing about accounts that are not verified. It ends a known verification and adds nothing otherwise. */
  readonly verified: boolean | null | undefined;
  /** An http or https URL, or "". */
  readonly profile_image_url: string | undefined;
  /** UTC without a fraction, `2010-11-29T21:18:15Z`; null if the source states that it has none. */
  readonly account_creation_date: string | null | undefined;
}

export const PROFILE_KEYS: readonly (keyof Profile)[] = Object.values({
  screen_name: 'screen_name',
  id: 'id',
  display_name: 'display_name',
  bio: 'bio',
  location: 'location',
  website: 'website',
  verified: 'verified',
  profile_image_url: 'profile_image_url',
  account_creation_date: 'account_creation_date',
} as const satisfies { readonly [F in keyof Profile]: F });

/** One profile, observed at one instant. */
export interface Observation {
  readonly observed_at: Instant;
  /** The archived copy of the snapshot: an http or https URL, "" or null, unchanged from the source. */
  readonly web_archive_url: string | null;
  readonly profile: Profile;
  /** Earlier handles of the account, if the source lists them. */
  readonly former_names: readonly string[];
}
