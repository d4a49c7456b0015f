import { isObject } from '../../contract/json.ts';
import type { Observation } from '../../contract/observation.ts';
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
  const { profile } = observation;
  return {
    ...observation,
    profile: {
      ...profile,
      display_name: profile.display_name || undefined,
      bio: profile.bio || undefined,
      location: profile.location || undefined,
      website: profile.website || undefined,
      profile_image_url: undefined,
    },
  };
}

/**
 * Removes what a store cannot keep from the texts of an observation: NUL is removed, and a lone surrogate
 * becomes U+FFFD.
 * Handles and ids are keys: they are rejected earlier if they contain such characters.
 */
export function storable(observation: Observation): Observation {
  const { profile, web_archive_url } = observation;
  return {
    ...observation,
    web_archive_url: clean(web_archive_url),
    profile: {
      ...profile,
      display_name: clean(profile.display_name),
      bio: clean(profile.bio),
      location: clean(profile.location),
      website: clean(profile.website),
      profile_image_url: clean(profile.profile_image_url),
    },
  };
}

function clean<T extends string | null | undefined>(text: T): T | string {
  return typeof text === 'string' ? text.replaceAll('\0', '').toWellFormed() : text;
}
