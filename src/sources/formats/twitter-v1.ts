import type { Observation } from '../../contract/observation.ts';
import { captureTime, dateField, flagField, handleField, idField, imageField, textField } from './fields.ts';
import { type CaptureContext, type JsonObject, type SnapshotFormat, snapshotsUnder } from './format.ts';
import { expandLinks, websiteOf } from './twitter-links.ts';

/** The user object of the Twitter API 1.1, alone or in a response of `users/…` and `followers/list`. */
export const twitterV1: SnapshotFormat = {
  name: 'twitter-v1',
  title: 'a user of the Twitter API 1.1 (with screen_name)',
  recognizes: (value) => 'screen_name' in value || Array.isArray(value['users']),
  snapshotsIn: snapshotsUnder('users'),
  observe: observeUser,
};

export function observeUser(user: JsonObject, path: string, taken: CaptureContext): Observation {
  // a complete user omits empty fields; a user that is only mentioned was not observed in full
  const isWhole = 'created_at' in user || 'followers_count' in user || 'description' in user;
  const [none, noWebsite] = isWhole ? ['', null] : [undefined, undefined];
  const text = (field: string) => unescaped(textField(user[field], path, field), taken) ?? none;
  const website = websiteOf(user, path);
  return {
    observed_at: captureTime(user, path, taken),
    web_archive_url: null,
    profile: {
      screen_name: handleField(user['screen_name'], path, 'screen_name'),
      id: idOf(user, path),
      display_name: text('name'),
      bio: expandLinks(text('description'), user),
      location: text('location'),
      website: website === undefined ? noWebsite : website,
      verified: flagField(user['verified'], path, 'verified'),
      profile_image_url: imageField(user['profile_image_url_https'], path, 'profile_image_url_https'),
      account_creation_date: dateField(isoOf(user['created_at']), path, 'created_at'),
    },
    former_names: [],
  };
}

/** JavaScript rounds the number `id` above 2^53, so id_str takes precedence. */
function idOf(user: JsonObject, path: string): string | undefined {
  const text = user['id_str'];
  return text === undefined || text === null ? idField(user['id'], path, 'id') : idField(text, path, 'id_str');
}

const DATE = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d\d:\d\d:\d\d) ([+-]\d{4}) (\d{4})$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Converts a time of Twitter, `Mon Nov 29 21:18:15 +0000 2010`, to ISO 8601. Returns any other value unchanged. */
export function isoOf(found: unknown): unknown {
  const match = typeof found === 'string' ? DATE.exec(found) : null;
  if (match === null) return found;
  const [, month = '', day, time, offset, year] = match;
  return `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}${offset}`;
}

const ESCAPED = /&(amp|lt|gt|quot|#39);/g;
const CHARACTERS: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(text: string | undefined, taken: CaptureContext): string | undefined {
  return taken.unescape ? text?.replace(ESCAPED, (entity, name: string) => CHARACTERS[name] ?? entity) : text;
}
