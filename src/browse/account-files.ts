import type { Account } from '../contract/account.ts';
import { timestampOf } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { StoredAccount, StoredAccounts } from '../store/stored-accounts.ts';
import { accountMainPage, accountPartPage } from './account-page.ts';
import { type AccountPart, accountParts, isOnePart, olderParts, partOfRecord, partsWithPage } from './account-parts.ts';
import { atomBytes } from './atom.ts';
import { accountDocument } from './atom-feeds.ts';
import type { BrowseAccount } from './browse-account.ts';
import type { BrowseFile } from './browse-file.ts';
import { type ByteText, byteText, parseByteJson } from './byte-text.ts';
import type { FormerHandles } from './former-handles.ts';
import { accountFeed, accountPage, recordAddress } from './paths.ts';
import type { AddressOf } from './record-addresses.ts';
import { parseRecords } from './record-text.ts';

/** Yields the files of an account, and returns the number of its parts. They are not rendered if the store has not read its JSON. */
export function* accountFiles(
  baseUrl: string,
  accounts: StoredAccounts,
  formerHandles: FormerHandles,
  stored: StoredAccount,
): Generator<BrowseFile, number> {
  const handle = byteText(stored.screen_name);
  const holders = formerHandles.holdersOf(handle);
  const parts = isOnePart(stored) ? ONE : accountParts(accounts.sizes(stored.screen_name));
  const isOld = stored.json === null;
  let known: BrowseAccount | undefined;
  const read = () => {
    known ??= readAccount(accounts, stored, parts, holders);
    return known;
  };
  const archives = olderParts(parts).length;
  const file = (path: ByteText, render: () => Buffer): BrowseFile => ({ path, render: isOld ? undefined : () => [render()] });
  const addressOf: AddressOf = ({ id }) => recordAddress(handle, partOfRecord(parts, id), id);
  const feed = (records: readonly ChangeRecord[], archive: number) =>
    atomBytes(baseUrl, accountDocument(read().account, records, archives, archive), addressOf);
  for (const part of partsWithPage(parts)) {
    const { first = 0, last = 0 } = parts[part - 1] ?? {};
    let records: readonly ChangeRecord[] | undefined;
    const readPart = () => {
      records ??= parseRecords(accounts.recordsBetween(stored.screen_name, first, last));
      return records;
    };
    yield file(accountPage(handle, part), () => accountPartPage(read(), part, readPart()));
    if (part <= archives) yield file(accountFeed(handle, part), () => feed(readPart(), part));
  }
  yield file(accountPage(handle), () => accountMainPage(read(), addressOf));
  yield file(accountFeed(handle), () => feed(read().data, 0));
  return parts.length;
}

const ONE: readonly AccountPart[] = [{ first: 0, last: Number.MAX_SAFE_INTEGER }];

function readAccount(
  accounts: StoredAccounts,
  stored: StoredAccount,
  parts: readonly AccountPart[],
  formerHolders: BrowseAccount['formerHolders'],
): BrowseAccount {
  const account: Account = parseByteJson(stored.json?.toString('latin1') ?? '');
  const older = olderParts(parts).at(-1)?.last ?? -1;
  const verified = account.data.find(({ data_type }) => data_type === 'Verified');
  return {
    account,
    data: older === -1 ? account.data : account.data.filter(({ id }) => id > older),
    verified: verified === undefined ? null : verified.text === 'true',
    records: stored.records,
    parts,
    formerHandles: accounts
      .formerHandles(stored.id)
      .map(({ handle, seen_to }) => ({ handle: byteText(handle), seen_to: timestampOf(seen_to) })),
    formerHolders,
  };
}
