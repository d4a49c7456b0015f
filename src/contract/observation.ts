import type { Instant } from './instant.ts';

/**
 * A profile as it was seen. A field that is undefined was not observed and changes nothing; "" and null
 * were observed and are empty. Texts are well-formed Unicode without NUL.
 */
export interface Profile {
  readonly screen_name: string;
  /** What stays when the handle changes (Twitter's id_str, a DID); undefined where the source has none. */
  readonly id: string | undefined;
  readonly display_name: string | undefined;
  readonly bio: string | undefined;
  readonly location: string | undefined;
  readonly website: string | null | undefined;
  readonly verified: boolean | undefined;
  /** An http or https URL, or "". */
  readonly profile_image_url: string | undefined;
  /** UTC without a fraction, `2010-11-29T21:18:15Z`; null where the source says that it has none. */
  readonly account_creation_date: string | null | undefined;
}

/** One profile, seen at one moment. */
export interface Observation {
  readonly observed_at: Instant;
  /** Where the snapshot is archived: an http or https URL, "" or null, as it was given. */
  readonly web_archive_url: string | null;
  readonly profile: Profile;
  /** Handles that the account had before, where the source tells. */
  readonly former_names: readonly string[];
}
