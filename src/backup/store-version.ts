import { count, text } from '../contract/shape.ts';
import type { Remote } from '../storage/remote.ts';
import type { StoreState } from '../store/image.ts';
import { VERSION_SHAPE, type Version, type VersionKind } from '../versions/commit.ts';
import { readNewest } from '../versions/newest.ts';

/** The store at the time of one push. Its data is the file of the store, compressed with brotli. */
export interface StoreVersion extends Version, Pick<StoreState, 'revision' | 'observed'> {
  /** The release of palimpsest that pushed it, and the version of the store's schema. */
  readonly palimpsest: string;
  readonly schema: number;
  /** The length of the file of the store, and its SHA-256 as hexadecimal digits. */
  readonly store_bytes: number;
  readonly store_sha256: string;
}

/** Versions of a store. They are private: no cache may keep them. */
export const STORE_KIND: VersionKind<StoreVersion> = {
  name: 'store',
  suffix: '.db.br',
  contentType: 'application/octet-stream',
  cacheControl: { data: 'private, no-store', head: 'private, no-store' },
  isReadByHead: false,
  shape: {
    ...VERSION_SHAPE,
    revision: count,
    observed: count,
    palimpsest: text,
    schema: count,
    store_bytes: count,
    store_sha256: text,
  },
};

/** Returns what {@link StoreImage.descendsFrom} compares. */
export function stateOfVersion({ revision, store, observed }: StoreVersion): Pick<StoreState, 'revision' | 'fingerprint' | 'observed'> {
  return { revision, fingerprint: store, observed };
}

export interface StoreVersions {
  /** Newest first; empty if the target has no store. */
  readonly versions: readonly StoreVersion[];
  /** What is wrong at the target. */
  readonly problems: readonly string[];
  /** The number of the newest commit if it cannot be read: the versions are those of an older commit. */
  readonly unread: number | undefined;
}

/**
 * Returns the versions that a target has.
 * @throws Failure other-form, not-ours, target-failed, target-denied, stopped
 */
export async function listVersions(remote: Remote): Promise<StoreVersions> {
  const { newest, top, problems } = await readNewest(remote, STORE_KIND, { remembered: undefined, listing: 'newest' });
  const versions = (newest?.commit.versions ?? []).toReversed();
  return { versions, problems, unread: newest !== undefined && newest.commit.number < top ? top : undefined };
}
