import { isObject, show } from '../../contract/json.ts';
import { at, Violation } from '../../contract/json-shape.ts';
import { objectIn } from './fields.ts';
import { type JsonObject, listed, type Snapshot, type SnapshotFormat } from './format.ts';
import { observeUser } from './twitter-v1.ts';

/** The user object of the Twitter API 2, alone or in a response. */
export const twitterV2: SnapshotFormat<'twitter-v2'> = {
  name: 'twitter-v2',
  title: 'a user of the Twitter API 2 (with username), or a response with data or includes',
  // Mastodon accounts have a username too, but not a name
  recognizes: (value) => ('username' in value && 'name' in value) || isResponse(value),
  snapshotsIn: usersOf,
  observe: (user, path, taken) =>
    observeUser(user, path, { ...taken, unescape: false }, { handle: 'username', image: 'profile_image_url' }),
};

function isResponse(value: JsonObject): boolean {
  return 'data' in value || 'includes' in value || isEmptyResponse(value);
}

/** Whether a response is a page without results. Such a page has no data. */
function isEmptyResponse(value: JsonObject): boolean {
  return objectIn(value, 'meta')?.['result_count'] === 0;
}

/** Returns the users of a response. Of a response about tweets, these are the users that it includes. */
function usersOf(value: JsonObject, path: string): readonly Snapshot[] {
  if ('username' in value || !isResponse(value)) return [{ value, path, observedAt: undefined }];
  const users = [...dataOf(value, path), ...includedIn(value, path)];
  if (users.length > 0 || isEmptyResponse(value)) return users;
  throw new Violation(at(path, 'data'), 'users, or tweets with their users in includes.users', show(value['data']));
}

function dataOf(value: JsonObject, path: string): Snapshot[] {
  const data = value['data'];
  const all = Array.isArray(data) ? listed(data, at(path, 'data')) : [{ value: data, path: at(path, 'data'), observedAt: undefined }];
  return all.filter((item) => isObject(item.value) && 'username' in item.value);
}

function includedIn(value: JsonObject, path: string): Snapshot[] {
  const users = objectIn(value, 'includes')?.['users'];
  return Array.isArray(users) ? listed(users, at(path, 'includes.users')) : [];
}
