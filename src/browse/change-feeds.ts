import type { Store } from '../store/store.ts';
import { atomBytes } from './atom.ts';
import { ATOM_RECORDS, changesArchives, changesDocument } from './atom-feeds.ts';
import type { BrowseFile } from './browse-file.ts';
import { marked } from './change-markup.ts';
import { parseRecords } from './feed-page.ts';
import { ARCHIVES_IN_PART } from './part-names.ts';
import { CHANGES_FEED, changesArchive } from './paths.ts';

/**
 * Yields the Atom feed of all changes, in part 0, and the archives of a part.
 * @param since the revision that the present files show
 */
export function* changeFeeds(store: Store, baseUrl: string, part: number, since: number): Generator<BrowseFile> {
  const { records, feed } = store.revision;
  const archives = changesArchives(records);
  const isOld = feed <= since;
  const last = Math.min(archives, (part + 1) * ARCHIVES_IN_PART);
  const file = (archive: number, read: () => Buffer): BrowseFile => ({
    path: archive === 0 ? CHANGES_FEED : changesArchive(archive),
    render: isOld ? undefined : () => [atomBytes(baseUrl, changesDocument(marked(parseRecords(read())), archives, archive))],
  });
  if (part === 0) yield file(0, () => store.feed('first').take(ATOM_RECORDS).json);
  // the cursor reads from the newest record of the part to the oldest
  const cursor = store.feedAfter(records - last * ATOM_RECORDS);
  for (let archive = last; archive > part * ARCHIVES_IN_PART; archive -= 1) yield file(archive, () => cursor.take(ATOM_RECORDS).json);
}
