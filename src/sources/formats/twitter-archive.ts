import { type Instant, parseInstant } from '../../contract/instant.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, Violation } from '../../contract/json-shape.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { captureTime, dateField, flagField, handleField, idField, imageField, objectIn, textField, websiteField } from './fields.ts';
import type { CaptureContext, JsonObject, SnapshotFormat } from './format.ts';

/**
 * The archive that Twitter gives to account holders. Its files are joined into one object
 * (src/sources/inputs/twitter-archive-folder.ts), each under its name. Only account.js is required.
 */
export const twitterArchive: SnapshotFormat<'twitter-archive'> = {
  name: 'twitter-archive',
  title: 'the account of a Twitter archive (account.js and the files beside it)',
  recognizes: (value) => 'account' in value && objectIn({ account: only(value, 'account') }, 'account')?.['accountId'] !== undefined,
  observe,
};

function observe(archive: JsonObject, path: string, taken: CaptureContext): Observation {
  const account = only(archive, 'account');
  if (!isObject(account)) throw new Violation(at(path, 'account'), 'an account as in account.js', show(account));
  const profile = only(archive, 'profile');
  const verified = only(archive, 'verified');
  const inAccount = at(path, 'account');
  const inProfile = at(path, 'profile');
  const description = objectIn(profile, 'description');
  // an archive is complete: a field that its profile omits is empty
  const [none, noWebsite] = description === undefined ? [undefined, undefined] : ['', null];
  const website = websiteField(description?.['website'], inProfile, 'description.website');
  const name = handleField(account['username'], inAccount, 'username');
  return {
    observed_at: captureTime(archive, path, { ...taken, observedAt: instantOfArchive(archive, path) ?? taken.observedAt }),
    web_archive_url: null,
    profile: {
      screen_name: name,
      id: idField(account['accountId'], inAccount, 'accountId'),
      display_name: textField(account['accountDisplayName'], inAccount, 'accountDisplayName'),
      bio: textField(description?.['bio'], inProfile, 'description.bio') ?? none,
      location: textField(description?.['location'], inProfile, 'description.location') ?? none,
      website: website === undefined ? noWebsite : website,
      verified: isObject(verified) ? flagField(verified['verified'], at(path, 'verified'), 'verified') : undefined,
      profile_image_url: isObject(profile) ? imageField(profile['avatarMediaUrl'], inProfile, 'avatarMediaUrl') : undefined,
      account_creation_date: dateField(account['createdAt'], inAccount, 'createdAt'),
    },
    former_names: formerNames(archive, path).filter((former) => former !== name),
  };
}

/** Returns the content of the only element of a file: `[{"account": {…}}]`. The array is optional. */
function only(archive: JsonObject, part: string): unknown {
  const found = archive[part];
  const [element] = Array.isArray(found) ? found : [{ [part]: found }];
  return isObject(element) ? element[part] : element;
}

function instantOfArchive(archive: JsonObject, path: string): Instant | undefined {
  const date = objectIn(archive['manifest'], 'archiveInfo')?.['generationDate'];
  if (date === undefined) return undefined;
  const instant = typeof date === 'string' ? parseInstant(date) : undefined;
  if (instant !== undefined) return instant;
  throw new Violation(at(path, 'manifest.archiveInfo.generationDate'), 'a time such as "2022-11-18T16:29:12.006Z"', show(date));
}

/** Returns the handles before each change, oldest first, each once. */
function formerNames(archive: JsonObject, path: string): string[] {
  const changes = archive['screen-name-change'];
  if (!Array.isArray(changes)) return [];
  const names = changes.map((item: unknown, index) => {
    const change = objectIn(objectIn(item, 'screenNameChange'), 'screenNameChange');
    return handleField(change?.['changedFrom'], at(path, `screen-name-change[${index}]`), 'changedFrom');
  });
  return [...new Set(names)];
}
