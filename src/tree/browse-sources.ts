import { hash } from 'node:crypto';
import { NOTHING_RENDERED, type RenderedState } from '../browse/parts.ts';
import { searchDigest } from '../browse/search/search-index.ts';
import type { Store } from '../store/store.ts';
import type { BuildRecord } from './build-record.ts';

/** Checksums of what the browse files of a tree were made from. A later build compares them with its store. */
export type BrowseSources = Required<Pick<BuildRecord, 'browse_feed' | 'browse_search'>>;

export function browseSources(store: Store): BrowseSources {
  return { browse_feed: feedSource(store), browse_search: searchSource(store) };
}

export function feedSource(store: Store): string {
  return feedDigest(store, store.revision.records);
}

/** Reads the names of all accounts. */
export function searchSource(store: Store): string {
  return searchDigest(store.accountReader().names('page'));
}

/** Returns a digest of all that pages show of the oldest records. */
function feedDigest(store: Store, records: number): string {
  return hash('sha256', JSON.stringify([store.oldestChecksum(records), store.storedAccounts().namedHandles()]));
}

/** Returns what the browse files of a tree show, except the search index. @param since the revision that the tree shows; -1 if it is unknown */
export function renderedStateOf(found: BuildRecord | undefined, since: number, store: Store): Omit<RenderedState, 'search'> {
  if (found === undefined || since === -1) return NOTHING_RENDERED;
  const isSameFeed = found.records <= store.revision.records && feedDigest(store, found.records) === found.browse_feed;
  return { revision: since, records: isSameFeed ? found.records : 0 };
}
