import { show } from '../../contract/json.ts';
import { at, Violation } from '../../contract/json-shape.ts';
import { type Observation, PROFILE_KEYS } from '../../contract/snapshots/observation.ts';
import { captureTime, dateField, flagField, handleField, idField, instantField, isUrlOrEmpty, textField, websiteField } from './fields.ts';
import type { CaptureContext, JsonObject, SnapshotFormat } from './format.ts';

/** The format of this project, with the field names of the API. Snapshots of any other source can be converted to it. */
export const neutral: SnapshotFormat<'neutral'> = {
  name: 'neutral',
  title: 'a neutral snapshot (with observed_at and screen_name)',
  recognizes,
  furtherTimes: (snapshot, path) => listField(snapshot['also_observed_at'], path, 'also_observed_at', instantField),
  observe,
};

/** In the order in which an error message lists them. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['observed_at', 'also_observed_at', 'screen_name', 'id', 'former_names'],
  ...PROFILE_KEYS,
  'web_archive_url',
]);

/** The maximum number of further times, and of former names, in one snapshot. */
export const MAX_LISTED = 1000;

/** The fields that the user object of Twitter, which has a screen_name too, does not have. */
const OWN_FIELDS = ['display_name', 'bio', 'website', 'account_creation_date', 'web_archive_url'] as const;
/** Fields of the documents of services. They may have observed_at too. */
const SERVICE_FIELDS = [
  ...['id_str', 'name', 'description', 'followers_count', 'created_at', 'username', 'user', 'account', 'acct', 'did'],
  ...['users', 'accounts', 'profiles', 'data', 'includes', 'creator'],
] as const;

function recognizes(value: JsonObject): boolean {
  // Mastodon has a display_name too, and Bluesky a website
  const hasOwn = OWN_FIELDS.some((field) => field in value) && !('acct' in value || 'did' in value);
  return 'observed_at' in value ? hasOwn || !SERVICE_FIELDS.some((field) => field in value) : 'screen_name' in value && hasOwn;
}

function observe(snapshot: JsonObject, path: string, taken: CaptureContext): Observation {
  for (const key in snapshot) if (!FIELDS.has(key)) throw unknownField(path, key);
  const id = idField(snapshot['id'], path, 'id');
  return {
    observed_at: captureTime(snapshot, path, taken),
    web_archive_url: archiveField(snapshot['web_archive_url'], path, 'web_archive_url'),
    profile: {
      // an account that has an id can be observed without its handle
      screen_name:
        id !== undefined && snapshot['screen_name'] === undefined ? undefined : handleField(snapshot['screen_name'], path, 'screen_name'),
      id,
      display_name: textField(snapshot['display_name'], path, 'display_name'),
      bio: textField(snapshot['bio'], path, 'bio'),
      location: textField(snapshot['location'], path, 'location'),
      website: websiteField(snapshot['website'], path, 'website'),
      verified: snapshot['verified'] === null ? null : flagField(snapshot['verified'], path, 'verified'),
      profile_image_url: urlField(snapshot['profile_image_url'], path, 'profile_image_url'),
      account_creation_date: dateField(snapshot['account_creation_date'], path, 'account_creation_date'),
    },
    former_names: listField(snapshot['former_names'], path, 'former_names', handleField),
  };
}

const NONE: readonly never[] = [];

/** Reads a list; a missing list is empty. */
function listField<T>(
  found: unknown,
  path: string,
  field: string,
  read: (element: unknown, path: string, field: string) => T,
): readonly T[] {
  if (found === undefined) return NONE;
  if (Array.isArray(found) && found.length <= MAX_LISTED) return found.map((element, index) => read(element, path, `${field}[${index}]`));
  const length = Array.isArray(found) ? `an array of ${found.length}` : show(found);
  throw new Violation(at(path, field), `an array of at most ${MAX_LISTED} elements`, length);
}

function archiveField(found: unknown, path: string, field: string): string | null {
  return found === null ? null : (urlField(found, path, field) ?? null);
}

/** A wrong URL is an error here: unlike the snapshot of a service, a neutral snapshot can be fixed by its author. */
function urlField(found: unknown, path: string, field: string): string | undefined {
  if (found === undefined || found === null || isUrlOrEmpty(found)) return textField(found, path, field);
  throw new Violation(at(path, field), 'an http or https URL, "" or null', show(found));
}

function unknownField(path: string, key: string): Violation {
  return new Violation(at(path, key), `only the fields ${[...FIELDS].join(', ')}`, `the unknown field ${show(key)}`);
}
