import type { Account } from '../contract/account.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { AtomDocument } from './atom.ts';
import type { ByteText } from './byte-text.ts';
import { accountFeed, accountPage, CHANGES_FEED, changesArchive, changesPage } from './paths.ts';

/** The number of records in an Atom document of all changes. */
export const ATOM_RECORDS = 100;

/**
 * Returns the number of archives of the feed of all changes. Archives count hundreds from the oldest record, so later
 * records never change their entries. The newest records, up to a hundred, are only in the feed itself.
 */
export function changesArchives(records: number): number {
  return Math.max(0, Math.ceil(records / ATOM_RECORDS) - 1);
}

/**
 * Returns a document of the feed of all changes.
 * @param records newest first: all of an archive, or the newest hundred
 * @param archives the number of archives
 * @param archive the number of the archive, from 1 for the oldest; 0 for the feed itself
 */
export function changesDocument(records: readonly ChangeRecord[], archives: number, archive: number): AtomDocument {
  return {
    id: CHANGES_FEED,
    title: archive === 0 ? 'Changes of public profiles' : `Changes of public profiles, archive ${archive}`,
    records,
    path: archive === 0 ? CHANGES_FEED : changesArchive(archive),
    page: changesPage(1),
    current: CHANGES_FEED,
    ...neighbors(archives, archive, changesArchive),
  };
}

/**
 * Returns a document of the feed of an account. Its archives have the records of the parts that its main page does not show.
 * The id has its first record and not its handle, because another account can have the handle later (RFC 4287, 4.2.6).
 */
export function accountDocument(
  { screen_name: handle, data }: Account,
  records: readonly ChangeRecord[],
  archives: number,
  archive: number,
): AtomDocument {
  const first = data.at(-1);
  return {
    id: first === undefined ? accountFeed(handle) : `browse/account/#${first.id}`,
    title: archive === 0 ? `Changes of @${handle}` : `Changes of @${handle}, archive ${archive}`,
    records,
    path: accountFeed(handle, archive),
    page: accountPage(handle, archive),
    current: accountFeed(handle),
    ...neighbors(archives, archive, (number) => accountFeed(handle, number)),
  };
}

function neighbors(archives: number, archive: number, pathOf: (archive: number) => ByteText): Pick<AtomDocument, 'older' | 'newer'> {
  const older = archive === 0 ? archives : archive - 1;
  return {
    older: older === 0 ? undefined : pathOf(older),
    newer: archive === 0 || archive === archives ? undefined : pathOf(archive + 1),
  };
}
