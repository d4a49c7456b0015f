import { isObject } from '../../contract/json.ts';
import type { Observation, Profile } from '../../contract/snapshots/observation.ts';
import type { JsonObject } from '../formats/format.ts';

/**
 * Whether the document of a service says that the account is suspended or deactivated: `suspended` of Mastodon and Twitter, and
 * `pleroma.deactivated`. The service then sends empty texts and a default picture.
 */
export function isSuspended(snapshot: JsonObject): boolean {
  const { suspended, pleroma } = snapshot;
  return suspended === true || (isObject(pleroma) && pleroma['deactivated'] === true);
}

/** Returns the observation of a suspended account: nobody emptied its empty fields, so they are unknown, and so is its picture. */
export function withoutEmptyFields(observation: Observation): Observation {
  const profile = withTexts(observation.profile, (text) => text || undefined);
  return { ...observation, profile: { ...profile, profile_image_url: undefined } };
}

/**
 * Removes what a store cannot keep from the texts of an observation: NUL is removed, and a lone surrogate
 * becomes U+FFFD.
 * Handles and ids are keys: they are rejected earlier if they contain such characters.
 */
export function storable(observation: Observation): Observation {
  return { ...observation, web_archive_url: clean(observation.web_archive_url), profile: withTexts(observation.profile, clean) };
}

function withTexts(profile: Profile, change: <T extends string | null | undefined>(text: T) => T | string | undefined): Profile {
  const texts: Omit<Profile, 'screen_name' | 'id' | 'verified' | 'account_creation_date'> = {
    display_name: change(profile.display_name),
    bio: change(profile.bio),
    location: change(profile.location),
    website: change(profile.website),
    profile_image_url: change(profile.profile_image_url),
  };
  return { ...profile, ...texts };
}

function clean<T extends string | null | undefined>(text: T): T | string {
  return typeof text === 'string' ? text.replaceAll('\0', '').toWellFormed() : text;
}
