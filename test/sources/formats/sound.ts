import { expect } from 'vitest';
import { isWholeSecond } from '../../../src/contract/instant.ts';
import { handle, urlOrEmpty, urlOrEmptyOrNull } from '../../../src/contract/json-shape.ts';
import type { Observed, SnapshotItem } from '../../../src/sources/snapshots/observations.ts';
import type { InputError } from '../../../src/sources/source.ts';

/** Checks the invariants of observations and input errors, which are the same for any input. */
export function expectSound(found: readonly SnapshotItem[]): void {
  const unsound = found.filter((item) => !(item.kind === 'error' ? isSoundFlaw(item) : item.kind === 'observation' && isSound(item)));
  expect(unsound).toEqual([]);
}

function isSoundFlaw({ place, expected, found }: InputError): boolean {
  return place.file !== undefined && expected !== '' && found !== '' && found.length < 1000;
}

function isSound({ observation, place }: Observed): boolean {
  const { profile, observed_at, web_archive_url, former_names } = observation;
  const texts = [profile.display_name, profile.bio, profile.location, profile.website, profile.profile_image_url, web_archive_url];
  return (
    place.file !== undefined &&
    Number.isSafeInteger(observed_at) &&
    observed_at >= 0 &&
    [...former_names, profile.screen_name ?? profile.id].every(handle.accepts) &&
    (profile.id === undefined || handle.accepts(profile.id)) &&
    texts.every((text) => text === undefined || text === null || isSoundText(text)) &&
    [profile.display_name, profile.bio, profile.location, profile.profile_image_url].every((text) => text !== null) &&
    (profile.verified === undefined || typeof profile.verified === 'boolean') &&
    (profile.profile_image_url === undefined || urlOrEmpty.accepts(profile.profile_image_url)) &&
    (profile.account_creation_date === undefined ||
      profile.account_creation_date === null ||
      isWholeSecond(profile.account_creation_date)) &&
    urlOrEmptyOrNull.accepts(web_archive_url)
  );
}

function isSoundText(text: unknown): boolean {
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0');
}
