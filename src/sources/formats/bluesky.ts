import { UNVERIFIED_HANDLE } from '../../contract/accounts/former-handles.ts';
import { show } from '../../contract/json.ts';
import { at, handle, Violation } from '../../contract/json-shape.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { captureTime, dateField, handleField, imageField, objectIn, textField, websiteField } from './fields.ts';
import { type CaptureContext, type JsonObject, type SnapshotFormat, snapshotsUnder } from './format.ts';

/** The profile views of `app.bsky.actor`: alone, in a response of `getProfiles`, or as the creator of a list, a feed or a labeler. */
export const bluesky: SnapshotFormat<'bluesky'> = {
  name: 'bluesky',
  title: 'a Bluesky profile (with did and handle)',
  recognizes: (value) => isView(value) || Array.isArray(value['profiles']) || creatorIn(value) !== undefined,
  snapshotsIn: (value, path) => {
    const creator = creatorIn(value);
    return creator === undefined ? profiles(value, path) : [{ value: creator, path: at(path, CREATOR), observedAt: undefined }];
  },
  observe,
};

const CREATOR = 'creator';
const profiles = snapshotsUnder('profiles');

function isView(value: JsonObject): boolean {
  return 'did' in value && 'handle' in value;
}

function creatorIn(value: JsonObject): JsonObject | undefined {
  const creator = isView(value) ? undefined : objectIn(value, CREATOR);
  return creator !== undefined && isView(creator) ? creator : undefined;
}

function observe(view: JsonObject, path: string, taken: CaptureContext): Observation {
  // the AppView omits the verification of an account that nobody verified, and had none before April 2025
  // profileViewDetailed and profileView omit empty fields; only the detailed one has a website; profileViewBasic has no description
  const isDetailed = 'followersCount' in view || 'postsCount' in view;
  const isProfileView = isDetailed || 'indexedAt' in view || path === CREATOR || path.endsWith(`.${CREATOR}`);
  const none = isProfileView ? '' : undefined;
  const noWebsite = isDetailed ? null : undefined;
  const website = websiteField(view['website'], path, 'website');
  return {
    observed_at: captureTime(view, path, taken),
    web_archive_url: null,
    profile: {
      screen_name: handleOf(view, path),
      id: didOf(view, path),
      display_name: textField(view['displayName'], path, 'displayName') ?? none,
      bio: textField(view['description'], path, 'description') ?? none,
      location: undefined,
      website: website === undefined ? noWebsite : website,
      verified: isDetailed && (view['verification'] ?? undefined) === undefined ? null : verifiedIn(view, path),
      profile_image_url: view['avatar'] === undefined ? none : imageField(view['avatar'], path, 'avatar'),
      account_creation_date: dateField(view['createdAt'], path, 'createdAt'),
    },
    former_names: [],
  };
}

function didOf(view: JsonObject, path: string): string {
  const did = view['did'];
  if (handle.accepts(did)) return did;
  throw new Violation(at(path, 'did'), 'a DID such as "did:plc:ewvi7nxzyoun6zhxrhs64oiz"', did === undefined ? 'no such field' : show(did));
}

/** Returns the handle; undefined if Bluesky could not confirm it. The DID identifies the account then. */
function handleOf(view: JsonObject, path: string): string | undefined {
  const name = handleField(view['handle'], path, 'handle');
  return name === UNVERIFIED_HANDLE ? undefined : name;
}

function verifiedIn(view: JsonObject, path: string): boolean | undefined {
  const status = objectIn(view, 'verification')?.['verifiedStatus'];
  if (status === undefined || status === null) return undefined;
  if (typeof status === 'string') return status === 'valid';
  throw new Violation(at(path, 'verification.verifiedStatus'), 'a string', show(status));
}
