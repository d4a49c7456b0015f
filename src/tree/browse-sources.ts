import { hash } from 'node:crypto';
import { NOTHING_RENDERED, type RenderedState } from '../browse/parts.ts';
import { searchDigest } from '../browse/search/search-index.ts';
import type { Store } from '../store/store.ts';
import type { BuildRecord } from './build-record.ts';

/** Checksums of what the browse files of a tree were made from. A later build compares them with its store. */
export type BrowseSources = Required<Pick<BuildRecord, 'browse_feed' | 'browse_search' | 'browse_previous'>>;

export function browseSources(store: Store): BrowseSources {
  const { records } = store.revision;
  return {
    browse_feed: feedDigest(store, records),
    browse_search: searchDigest(store.accountReader().names('page')),
    browse_previous: store.previousValuesChecksum(records),
  };
}

/** Returns a digest of all that pages show of the oldest records. */
function feedDigest(store: Store, records: number): string {
  return hash('sha256', JSON.stringify([store.oldestChecksum(records), store.storedAccounts().namedHandles()]));
}

/** Returns what the browse files of a tree show. @param since the revision that the tree shows; -1 if it is unknown */
export function renderedStateOf(found: BuildRecord | undefined, since: number, store: Store, now: BrowseSources): RenderedState {
  if (found === undefined || since === -1) return NOTHING_RENDERED;
  const isSameFeed = found.records <= store.revision.records && feedDigest(store, found.records) === found.browse_feed;
  // the fingerprint, which finds the revision, does not include these times
  const known = store.previousValuesChecksum(Math.min(found.records, store.revision.records));
  const revision = known === found.browse_previous ? since : -1;
  return { revision, records: isSameFeed ? found.records : 0, search: found.browse_search === now.browse_search };
}
