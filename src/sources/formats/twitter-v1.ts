import { type SnapshotFormat, snapshotsUnder } from './format.ts';
import { observeUser } from './twitter-user.ts';

/** The user object of the Twitter API 1.1, alone or in a response of `users/…` and `followers/list`. */
export const twitterV1: SnapshotFormat = {
  name: 'twitter-v1',
  title: 'a user of the Twitter API 1.1 (with screen_name)',
  recognizes: (value) => 'screen_name' in value || Array.isArray(value['users']),
  snapshotsIn: snapshotsUnder('users'),
  observe: (user, path, taken) => observeUser(user, path, taken, { handle: 'screen_name', image: 'profile_image_url_https' }),
};
