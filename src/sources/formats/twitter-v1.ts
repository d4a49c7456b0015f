import { isObject } from '../../contract/json.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { captureTime, dateField, flagField, handleField, idField, imageField, objectIn, textField, websiteField } from './fields.ts';
import { type CaptureContext, type JsonObject, type SnapshotFormat, snapshotsUnder } from './format.ts';

/** The user object of the Twitter API 1.1, alone or in a response of `users/…` and `followers/list`. */
export const twitterV1: SnapshotFormat<'twitter-v1'> = {
  name: 'twitter-v1',
  title: 'a user of the Twitter API 1.1 (with screen_name)',
  recognizes: (value) => 'screen_name' in value || Array.isArray(value['users']),
  snapshotsIn: snapshotsUnder('users'),
  observe: (user, path, taken) => observeUser(user, path, taken, { handle: 'screen_name', image: 'profile_image_url_https' }),
};

/** The keys that differ between the versions of the Twitter API. */
interface UserKeys {
  readonly handle: string;
  readonly image: string;
}

/** Reads a user object of the Twitter API 1.1 or 2. */
export function observeUser(user: JsonObject, path: string, taken: CaptureContext, { handle, image }: UserKeys): Observation {
  // a complete user omits empty fields; a user that is only mentioned, or of which only some fields were requested, was not observed in full
  const isWhole = ['created_at', 'followers_count', 'public_metrics', 'description'].some((field) => field in user);
  const [none, noWebsite] = isWhole ? ['', null] : [undefined, undefined];
  const text = (field: string) => unescaped(textField(user[field], path, field), taken) ?? none;
  const website = websiteOf(user, path);
  return {
    observed_at: captureTime(user, path, taken),
    web_archive_url: null,
    profile: {
      screen_name: handleField(user[handle], path, handle),
      id: idOf(user, path),
      display_name: text('name'),
      bio: expandLinks(text('description'), user),
      location: text('location'),
      website: website === undefined ? noWebsite : website,
      verified: flagField(user['verified'], path, 'verified'),
      profile_image_url: imageField(user[image], path, image),
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

/**
 * Twitter shortens links to `https://t.co/…`, and shortens the same link differently over time. If the short
 * links were stored, every new one would look like a change. `entities` contains the original of each link.
 */
const SHORT_LINK = /https?:\/\/t\.co\/\w+/gi;

/** Replaces the short links in a text by the originals, if the entities of the user contain them. */
function expandLinks(text: string | undefined, user: JsonObject): string | undefined {
  if (text === undefined || !/:\/\/t\.co\//i.test(text)) return text;
  const links = new Map(urlsOf(user, 'description').flatMap((link) => (isLink(link) ? [[link.url, link.expanded_url]] : [])));
  return links.size === 0 ? text : text.replace(SHORT_LINK, (link) => links.get(link) ?? link);
}

/** Returns the original website, or the short link if Twitter did not expand it. */
function websiteOf(user: JsonObject, path: string): string | null | undefined {
  const [link] = urlsOf(user, 'url');
  const expanded = isObject(link) ? link['expanded_url'] : undefined;
  const isExpanded = typeof expanded === 'string' && expanded !== '';
  return websiteField(isExpanded ? expanded : user['url'], path, 'url');
}

function urlsOf(user: JsonObject, field: string): readonly unknown[] {
  const urls = objectIn(user['entities'], field)?.['urls'];
  return Array.isArray(urls) ? urls : [];
}

function isLink(link: unknown): link is { readonly url: string; readonly expanded_url: string } {
  return isObject(link) && typeof link['url'] === 'string' && typeof link['expanded_url'] === 'string';
}
