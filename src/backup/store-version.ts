import { count, text } from '../contract/shape.ts';
import type { StoreState } from '../store/image.ts';
import { VERSION_SHAPE, type Version, type VersionKind } from '../versions/commit.ts';

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
