import type { Observation } from '../../contract/observation.ts';

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

/** Whether a JSON text may contain such characters. In UTF-8 they can only occur as escapes. */
export function hasEscapes(json: string): boolean {
  return json.includes('\\u');
}

function clean<T extends string | null | undefined>(text: T): T | string {
  return typeof text === 'string' ? text.replaceAll('\0', '').toWellFormed() : text;
}
