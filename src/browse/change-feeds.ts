import type { Store } from '../store/store.ts';
import { atomBytes } from './atom.ts';
import { ATOM_RECORDS, changesArchives, changesDocument } from './atom-feeds.ts';
import type { BrowseFile } from './browse-file.ts';
import { ARCHIVES_IN_PART } from './part-names.ts';
import { CHANGES_FEED, changesArchive } from './paths.ts';
import type { AddressOf } from './record-addresses.ts';
import { parseRecords } from './record-text.ts';
import type { RenderedState } from './rendered-state.ts';

/**
 * Yields the Atom feed of all changes, in part 0, and the archives of a part.
 */
export function* changeFeeds(
  store: Store,
  baseUrl: string,
  part: number,
  rendered: RenderedState,
  addressOf: AddressOf,
): Generator<BrowseFile> {
  const { records, feed } = store.revision;
  const archives = changesArchives(records);
  // an archive that has another one after it changes only if its records do
  const settled = feed <= rendered.revision ? archives : changesArchives(rendered.records) - 1;
  const last = Math.min(archives, (part + 1) * ARCHIVES_IN_PART);
  const file = (archive: number, isOld: boolean, read: () => Buffer): BrowseFile => ({
    path: archive === 0 ? CHANGES_FEED : changesArchive(archive),
    render: isOld ? undefined : () => [atomBytes(baseUrl, changesDocument(parseRecords(read()), archives, archive), addressOf)],
  });
  if (part === 0) yield file(0, feed <= rendered.revision, () => store.feed('first').take(ATOM_RECORDS).json);
  // the cursor reads from the newest record of the part to the oldest
  const cursor = store.feedAfter(records - last * ATOM_RECORDS);
  for (let archive = last; archive > part * ARCHIVES_IN_PART; archive -= 1) {
    yield file(archive, archive <= settled, () => cursor.take(ATOM_RECORDS).json);
  }
}
