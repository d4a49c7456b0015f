import type { Observation } from '../contract/observation.ts';

/**
 * An observation of which no text has what a store cannot keep: NUL is taken out, a surrogate that stands
 * alone becomes U+FFFD. Handles and ids are keys and have been refused if they had any.
 */
export function sanitize(observation: Observation): Observation {
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

/** Whether the values in a JSON text can have such texts: they come as escapes, as no UTF-8 holds them otherwise. */
export function mayNeedSanitizing(json: string): boolean {
  return json.includes('\\u');
}

function clean<T extends string | null | undefined>(text: T): T | string {
  return typeof text === 'string' ? text.replaceAll('\0', '').toWellFormed() : text;
}
